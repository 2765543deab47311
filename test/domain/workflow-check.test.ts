// Checks of unsaved workflows: all problems at once, with their positions, and nothing is saved.
import { describe, expect, test } from 'vitest'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const problems = '{ field message line column }'

const broken = {
  steps: [
    { email: { subject: 'Hello', body: 'Dear {{ subscriber.firstName }},\n  {% if payload.total %}' } },
    { sms: { body: '{{ payload.total | nonsense', condition: { unknown: [1] } } },
    { delay: { amount: 0, unit: 'DAYS' } },
  ],
  payloadSchema: { type: 'nothing' },
}

async function check(input: Record<string, unknown>) {
  const client = await world.environment()
  const query = `query ($input: CheckWorkflowInput!) { checkWorkflow(input: $input) ${problems} }`
  const { checkWorkflow } = await client.ask(query, { input })
  return checkWorkflow
}

describe('the check of a workflow', () => {
  test('returns all problems, with the line and the column of an error in a template', async () => {
    const found = await check(broken)
    const fields = new Set(found.map(({ field }) => field.join('.')))
    expect([...fields].toSorted()).toEqual([
      'payloadSchema.type',
      'steps.0.email.body',
      'steps.1.sms.body',
      'steps.1.sms.condition',
      'steps.2.delay.amount',
    ])
    const [template] = found.filter(({ line }: { line: number | null }) => line !== null)
    expect(template).toMatchObject({
      field: ['steps', '0', 'email', 'body'],
      message: expect.stringMatching(/is not a valid template: .*\(line 2, column \d+\)$/),
      line: 2,
    })
  })

  test('returns nothing for a valid workflow, and saves nothing', async () => {
    const client = await world.environment()
    const { checkWorkflow, workflows } = await client.ask(
      `{ checkWorkflow(input: { steps: [{ sms: { body: "Hello {{ payload.name }}" } }], payloadSchema: null }) ${problems}
         workflows { totalCount } }`,
    )
    expect({ checkWorkflow, workflows }).toEqual({ checkWorkflow: [], workflows: { totalCount: 0 } })
  })

  test('finds a reference to a later step', async () => {
    const condition = { '==': [{ var: 'steps.later.status' }, 'sent'] }
    const steps = [{ sms: { body: 'Hello', condition } }, { sms: { stepId: 'later', body: 'Hello' } }]
    expect(await check({ steps })).toMatchObject([
      { field: ['steps', '0', 'sms', 'condition'], message: expect.stringContaining('earlier steps'), line: null },
    ])
  })

  test('returns the same errors as createWorkflow', async () => {
    const client = await world.environment()
    const steps = [{ sms: { body: '{% if %}' } }, { push: { subject: 'a\nb {{', body: 'Hello' } }]
    const { userErrors } = await client.act('createWorkflow', { identifier: 'w', name: 'W', steps }, 'workflow { id }')
    const query = `mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { userErrors ${problems} } }`
    const { createWorkflow } = await client.ask(query, { input: { identifier: 'w', name: 'W', steps } })
    expect(userErrors).toHaveLength(2)
    expect(createWorkflow.userErrors).toEqual(await check({ steps }))
  })
})

const warnings = async (input: object) => {
  const client = await world.environment()
  const { checkWorkflow } = await client.ask(
    'query ($input: CheckWorkflowInput!) { checkWorkflow(input: $input) { field message line column level } }',
    { input: { ...input } },
  )
  return checkWorkflow
}

const messagesFor = async (body: string, payloadSchema?: object) =>
  (await warnings({ steps: [{ sms: { body } }], payloadSchema })).map(({ message }) =>
    message.replace('steps[0].body uses ', ''),
  )

describe('a variable that does not exist', () => {
  const closed = {
    type: 'object',
    properties: {
      amount: { type: 'integer' },
      items: { type: 'array', items: { properties: { name: {} }, additionalProperties: false } },
      address: { type: 'object', properties: { city: { type: 'string' } } },
    },
    additionalProperties: false,
  }

  test('is a warning with its position and the variable that was probably meant', async () => {
    expect(
      await warnings({ steps: [{ email: { subject: 'Hi', body: 'Dear\n {{ subscriber.firstname }}' } }] }),
    ).toEqual([
      {
        field: ['steps', '0', 'email', 'body'],
        message: 'steps[0].body uses subscriber.firstname, which does not exist; did you mean subscriber.firstName?',
        line: 2,
        column: 5,
        level: 'WARNING',
      },
    ])
  })

  test('does not prevent that the workflow is saved', async () => {
    const client = await world.environment()
    const steps = [{ sms: { body: '{{ subscriber.firstname }}' } }]
    const { userErrors } = await client.act('createWorkflow', { identifier: 'w', name: 'W', steps }, '__typename')
    expect(userErrors).toEqual([])
  })

  test.each([
    ['{{ firstName }}', 'firstName, which does not exist; did you mean subscriber.firstName?'],
    ['{{ subscribr.email }}', 'subscribr, which does not exist; did you mean subscriber?'],
    ['{{ workflow.title }}', 'workflow.title, which does not exist: known are identifier, name'],
    ['{{ context.tenant.name }}', 'context.tenant.name, which does not exist: known are id, data'],
    ['{{ actor["phon"] }}', 'actor.phon, which does not exist; did you mean actor.phone?'],
    ['{% if steps.mail.seen %}x{% endif %}', 'steps.mail, which does not exist'],
    ['{% for i in (1..digest.cuont) %}x{% endfor %}', 'digest.cuont, which does not exist; did you mean digest.count?'],
    [
      '{{ payload.total | plus: subscriber.bonus | default: actor.frstName }}',
      'actor.frstName, which does not exist; did you mean actor.firstName?',
    ],
    [
      '{{ digest.events.last.actor.firstname }}',
      'digest.events.last.actor.firstname, which does not exist; did you mean digest.events.last.actor.firstName?',
    ],
  ])('is found in %s', async (body, message) => {
    expect(await messagesFor(body)).toContain(message)
  })

  test.each([
    '{{ subscriber.firstName.size }} {{ subscriber.data.anything.at.all }} {{ payload.anything[0].x }}',
    '{{ context.tenant.data.name }} {{ context.project.id }} {{ transactionId }} {{ actor.data.x }}',
    '{% for event in digest.events %}{{ event.payload.x }} {{ forloop.index }}{% endfor %}{{ digest.events.size }}',
    '{% assign name = subscriber.firstName %}{{ name }}{% capture c %}x{% endcapture %}{{ c }}{% increment i %}{{ i }}',
    '{{ payload[subscriber.locale].text }} {{ digest.events[0].payload.x }} {{ digest.events.first.createdAt }}',
    '{% comment %}{{ nothing }}{% endcomment %}{% raw %}{{ nothing }}{% endraw %}',
  ])('is not found in %s', async (body) => {
    expect(await messagesFor(body)).toEqual([])
  })

  test('is found in the step of a digest, and in other steps that have no triggers', async () => {
    const body = '{{ steps.all.eventCount }}{{ steps.all.events[0].payload.x }}{{ steps.bell.eventCount }}'
    const steps = [
      { inApp: { stepId: 'bell', body: 'Hi' } },
      { digest: { stepId: 'all', amount: 1, unit: 'HOURS' } },
      { sms: { body } },
    ]
    expect((await warnings({ steps })).map(({ message }) => message)).toEqual([
      expect.stringContaining('steps[2].body uses steps.bell.eventCount, which does not exist'),
    ])
  })

  test('is found in the payload by its schema, if that allows no other properties', async () => {
    const meant = (name: string, known: string) =>
      `payload.${name}, which does not exist; did you mean payload.${known}?`
    expect(await messagesFor('{{ payload.amout }}', closed)).toEqual([meant('amout', 'amount')])
    expect(await messagesFor('{{ payload.items[0].nam }}', closed)).toEqual([
      'payload.items.0.nam, which does not exist: known are name',
    ])
    expect(await messagesFor('{{ payload.other }}', closed)).toEqual([
      'payload.other, which does not exist: known are amount, items, address',
    ])
    expect(
      await messagesFor('{{ payload.amount }} {{ payload.address.zip }} {{ payload.items.size }}', closed),
    ).toEqual([])
  })

  test('is found in the payload if it is similar to a property, and otherwise allowed', async () => {
    const open = { properties: { amount: {} } }
    expect(await messagesFor('{{ payload.amout }} {{ payload.other }}', open)).toEqual([
      'payload.amout, which does not exist; did you mean payload.amount?',
    ])
    expect(await messagesFor('{{ payload.amout }}', { ...closed, anyOf: [{}] })).toEqual([])
    expect(await messagesFor('{{ payload.amout }}')).toEqual([])
  })

  test('is found in the data and the payload fields of a notification', async () => {
    const inApp = { body: 'Hello', data: { list: ['{{ payload.amout }}'] }, payloadFields: ['amount', 'adress'] }
    const found = await warnings({ steps: [{ inApp }], payloadSchema: closed })
    expect(found.map(({ field }) => field.join('.'))).toEqual([
      'steps.0.inApp.data.list.0',
      'steps.0.inApp.payloadFields.1',
    ])
  })

  test('is found in conditions and in the key of a digest', async () => {
    const condition = {
      and: [
        { '==': [{ var: 'subscriber.firstname' }, 'Ada'] },
        { some: [{ var: 'payload.items' }, { '==': [{ var: 'name' }, 'x'] }] },
        { '>': [{ var: 'digest.events.length' }, 1] },
      ],
    }
    const steps = [
      { digest: { amount: 1, unit: 'HOURS', key: 'adress.city' } },
      { sms: { stepId: 'text', body: 'Hello', condition } },
      { sms: { body: '{{ steps.text.status }} {{ steps.text.sent }}', condition: { var: 'steps.text.seen' } } },
    ]
    expect(await warnings({ steps, payloadSchema: closed })).toMatchObject([
      { field: ['steps', '2', 'sms', 'body'], message: expect.stringContaining('uses steps.text.sent, which') },
      {
        field: ['steps', '1', 'sms', 'condition'],
        message: expect.stringContaining('did you mean subscriber.firstName?'),
      },
      { field: ['steps', '0', 'digest', 'key'], message: expect.stringContaining('did you mean payload.address?') },
    ])
  })

  test('is reported after all errors', async () => {
    const steps = [{ sms: { body: '{{ subscriber.nme }}' } }, { sms: { body: '{% if %}' } }]
    expect((await warnings({ steps })).map(({ level }) => level)).toEqual(['ERROR', 'WARNING'])
  })
})
