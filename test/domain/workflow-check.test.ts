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
