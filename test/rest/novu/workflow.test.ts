// Workflows through the published client: what it sends is what it reads back, and no field is lost.
import { beforeEach, describe, expect, test } from 'vitest'
import type { Novu } from '@novu/api'
import type { CreateWorkflowDto, UpdateWorkflowDto } from '@novu/api/models/components/index.js'
import { novuClient } from '../../support/novu/client.ts'
import { environmentIdOf } from '../../support/environment-id.ts'
import { statementsOf } from '../../support/statements.ts'
import { type Client, useWorld } from '../../support/world.ts'

const world = useWorld()
let acme: Client
let client: Novu

beforeEach(async () => {
  acme = await world.environment()
  client = novuClient(world, acme.key)
})

const skip = { '==': [{ var: 'payload.plan' }, 'pro'] }
const link = { url: '/orders/{{payload.id}}', target: '_blank' as const }

/** A step of each type, with each control value that the client knows and the gateway can apply. */
const steps: CreateWorkflowDto['steps'] = [
  {
    ...{ type: 'in_app', name: 'Bell', stepId: 'bell' },
    controlValues: {
      ...{ subject: 'Order {{payload.id}}', body: 'It is on its way.', avatar: 'https://example.com/a.png', skip },
      primaryAction: { label: 'Track', redirect: link },
      secondaryAction: { label: 'Help', redirect: { url: 'https://example.com/help' } },
      redirect: { url: '/orders', target: '_self' },
      data: { order: '{{payload.id}}', list: [1, { deep: true }] },
    },
  },
  {
    ...{ type: 'email', name: 'Letter', stepId: 'letter' },
    controlValues: {
      ...{ subject: 'Order', body: '<p>{{payload.id}}</p>', editorType: 'html', skip },
      ...{ from: { email: 'shop@example.com', name: 'Shop' }, replyTo: 'help@example.com', preheader: 'Soon' },
    },
  },
  { type: 'sms', name: 'Text', stepId: 'text', controlValues: { body: 'Order {{payload.id}}', skip } },
  { type: 'chat', name: 'Chat', stepId: 'chat', controlValues: { body: 'Order', editorType: 'text' } },
  { type: 'push', name: 'Push', stepId: 'push', controlValues: { subject: 'Order', body: 'It is on its way.' } },
  { type: 'tool', name: 'Page', stepId: 'page', controlValues: { body: 'Order' } },
  { type: 'delay', name: 'Wait', stepId: 'wait', controlValues: { type: 'regular', amount: 2, unit: 'hours', skip } },
  {
    ...{ type: 'digest', name: 'Collect', stepId: 'collect' },
    controlValues: { type: 'regular', amount: 1, unit: 'days', digestKey: 'payload.order.id' },
  },
]

const whole: CreateWorkflowDto = {
  ...{ workflowId: 'order', name: 'Order', description: 'One for each order.', tags: ['orders'], active: true },
  ...{ severity: 'high', validatePayload: true, payloadSchema: { type: 'object' }, isTranslationEnabled: false },
  preferences: {
    user: { all: { enabled: true, readOnly: false }, channels: { email: { enabled: false }, sms: { enabled: true } } },
  },
  steps,
}

const small: CreateWorkflowDto = {
  ...{ workflowId: 'order', name: 'Order', active: true },
  steps: [{ type: 'in_app', name: 'Bell', controlValues: { body: 'Hi' } }],
}

/** Everything that the graph shows of a workflow. */
const graph = `{ workflow(identifier: "order") {
  name description active critical severity tags data payloadSchema validatePayload unsubscribe category { key }
  channels { channel enabled }
  steps {
    type stepId name active condition
    ... on InAppStep { subject body avatar url target actions { label url target } data payloadFields
      expiresAfter { amount unit } }
    ... on EmailStep { subject body preheader textBody from senderName replyTo cc bcc headers { name value }
      attachments threadKey expiresAfter { amount unit } timeLimit { amount unit } }
    ... on ToolStep { toolSubject: subject body incidentKey incidentAction }
    ... on PushStep { subject body }
    ... on DelayStep { amount unit extendToSchedule }
    ... on DigestStep { amount unit key extendToSchedule }
  }
} }`

/** What the client would send of a workflow that it has read. */
async function readToSend(): Promise<UpdateWorkflowDto> {
  const { result } = await client.workflows.get('order')
  const { preferences, ...shown } = result
  return { ...shown, preferences: { user: preferences.user, workflow: preferences.default } }
}

describe('a workflow', () => {
  test('that the client creates is read back as it was sent', async () => {
    const created = (await client.workflows.create(whole)).result
    const { result } = await client.workflows.get('order')
    expect(result).toEqual(created)
    expect(result).toMatchObject({ ...whole, status: 'ACTIVE', origin: 'novu-cloud', slug: `order_wf_${result.id}` })
    expect(result.steps).toHaveLength(steps.length)
  })

  test('is inactive unless the client says otherwise, and its steps get ids from their names', async () => {
    const twice: CreateWorkflowDto['steps'] = [
      { type: 'sms', name: 'Ünder Way!', controlValues: { body: 'a' } },
      { type: 'sms', name: 'under way', controlValues: { body: 'b' } },
      { type: 'sms', name: '到着', controlValues: { body: 'c' } },
    ]
    const { result } = await client.workflows.create({ workflowId: 'order', name: 'Order', steps: twice })
    expect(result).toMatchObject({ active: false, status: 'INACTIVE', validatePayload: false })
    expect(result.steps.map(({ stepId }) => stepId)).toEqual(['u-nder-way', 'under-way', 'sms-3'])
  })

  test('of the graph keeps everything when the client writes what it has read', async () => {
    await acme.act('createCategory', { key: 'news', name: 'News' })
    await acme.act('createWorkflow', {
      ...{ identifier: 'order', name: 'Order', critical: true, severity: 'LOW', tags: ['a'], data: { team: 'shop' } },
      ...{ categoryKey: 'news', unsubscribe: 'ALL', channels: [{ channel: 'SMS', enabled: false }] },
      steps: [
        { inApp: { stepId: 'bell', body: 'Hi', payloadFields: ['id'], expiresAfter: { amount: 1, unit: 'DAYS' } } },
        {
          email: {
            ...{ subject: 'Hi', body: 'Hi', cc: ['cc@example.com'], replyTo: ['a@example.com', 'b@example.com'] },
            ...{ textBody: 'Hi', threadKey: '{{payload.id}}', headers: [{ name: 'X-One', value: '1' }] },
            ...{ attachments: false, active: false, timeLimit: { amount: 1, unit: 'HOURS' } },
          },
        },
        { tool: { subject: 'Down', body: 'Down', incidentKey: 'db', incidentAction: 'RESOLVE' } },
        { digest: { amount: 1, unit: 'HOURS', extendToSchedule: true } },
      ],
    })
    const before = await acme.ask<object>(graph)
    await client.workflows.update(await readToSend(), 'order')
    expect(await acme.ask<object>(graph)).toEqual(before)
  })

  test('is found by its identifier, id and slug, and so are its steps', async () => {
    const { id, slug } = (await client.workflows.create(small)).result
    for (const name of ['order', id, slug]) {
      expect((await client.workflows.get(name)).result.workflowId).toBe('order')
      for (const step of ['bell', 'bell_st_bell']) {
        const { result } = await client.workflows.steps.retrieve(name, step)
        expect(result).toMatchObject({ stepId: 'bell', workflowDatabaseId: id, controlValues: { body: 'Hi' } })
      }
    }
    await expect(client.workflows.steps.retrieve('order', 'absent')).rejects.toMatchObject({ statusCode: 404 })
    await expect(client.workflows.get('absent')).rejects.toMatchObject({ statusCode: 404 })
  })

  test('is changed by a patch, which keeps the rest', async () => {
    await client.workflows.create(whole)
    const { result } = await client.workflows.patch({ name: 'Orders', active: false, payloadSchema: null }, 'order')
    expect(result).toMatchObject({ ...whole, name: 'Orders', active: false, payloadSchema: null })
  })

  test('is deleted once', async () => {
    const { slug } = (await client.workflows.create(small)).result
    await client.workflows.delete(slug)
    await expect(client.workflows.delete('order')).rejects.toMatchObject({ statusCode: 404 })
  })

  test('that exists is a 400, which the client does not repeat', async () => {
    await client.workflows.create(small)
    await expect(client.workflows.create(small)).rejects.toMatchObject({ statusCode: 400 })
  })

  test('has the channels of all, unless it names them', async () => {
    const { result } = await client.workflows.create({
      ...small,
      preferences: {
        workflow: { all: { enabled: false, readOnly: false }, channels: { in_app: { enabled: true } } },
      },
    })
    expect(result.preferences.user?.channels).toMatchObject({ in_app: { enabled: true }, email: { enabled: false } })
    const { workflow } = await acme.ask('{ workflow(identifier: "order") { channels { channel enabled } } }')
    expect(workflow.channels.filter(({ enabled }) => enabled)).toEqual([{ channel: 'IN_APP', enabled: true }])
  })

  test('has waits that end in the schedule of the subscriber, which the client can read and not send', async () => {
    const body = withStep({ type: 'delay', controlValues: { amount: 1, unit: 'days', extendToSchedule: true } })
    const { status } = await acme.rest('POST /novu/v2/workflows', { body })
    expect(status).toBe(201)
    expect((await client.workflows.get('order')).result.steps).toMatchObject([
      { controlValues: { amount: 1, unit: 'days', additionalProperties: { extendToSchedule: true } } },
    ])
  })

  test('notifies, and a step whose `skip` is true is executed', async () => {
    await client.workflows.create({ ...whole, preferences: {}, steps: steps.slice(0, 1) })
    await client.trigger({ workflowId: 'order', to: 'ada', payload: { id: '7', plan: 'pro' } })
    await client.trigger({ workflowId: 'order', to: 'bob', payload: { id: '8', plan: 'free' } })
    await world.work()
    const feed = 'notifications { nodes { subject url } }'
    expect(
      await acme.ask<object>(
        `{ ada: subscriber(subscriberId: "ada") { ${feed} } bob: subscriber(subscriberId: "bob") { ${feed} } }`,
      ),
    ).toEqual({
      ada: { notifications: { nodes: [{ subject: 'Order 7', url: '/orders' }] } },
      bob: { notifications: { nodes: [] } },
    })
  })
})

describe('a change by the client', () => {
  test('replaces steps, and a step that stays keeps what the client has no words for', async () => {
    await acme.act('createWorkflow', {
      ...{ identifier: 'order', name: 'Order' },
      steps: [{ email: { stepId: 'letter', subject: 'Hi', body: 'Hi', cc: ['cc@example.com'], preheader: 'Soon' } }],
    })
    const letter = { type: 'email' as const, id: 'letter', stepId: 'mail', name: 'Mail' }
    const { result } = await client.workflows.update(
      { name: 'Order', preferences: {}, steps: [{ ...letter, controlValues: { subject: 'Hello', body: 'Hi' } }] },
      'order',
    )
    expect(result).toMatchObject({ active: false, steps: [{ stepId: 'mail', name: 'Mail' }] })
    const read = '{ workflow(identifier: "order") { steps { stepId ... on EmailStep { subject cc preheader } } } }'
    expect(await acme.ask<object>(read)).toEqual({
      workflow: { steps: [{ stepId: 'mail', subject: 'Hello', cc: ['cc@example.com'], preheader: null }] },
    })
  })

  test('keeps preferences and fields that it omits, and removes steps', async () => {
    await client.workflows.create(whole)
    const change = { name: 'Orders', active: true, preferences: {}, steps: [] }
    const { result } = await client.workflows.update(change, 'order')
    expect(result).toMatchObject({ ...whole, name: 'Orders', steps: [] })
    const reset = await client.workflows.update({ ...change, preferences: { user: null }, description: '' }, 'order')
    expect(reset.result).toMatchObject({ preferences: { user: { channels: {} } }, tags: ['orders'] })
    expect(reset.result.description).toBeUndefined()
  })
})

/** A workflow with one step. */
const withStep = (step: object): object => ({ ...small, steps: [{ name: 'Step', ...step }] })
const inApp = (controlValues: object) => withStep({ type: 'in_app', controlValues: { body: 'Hi', ...controlValues } })
const email = (controlValues: object) =>
  withStep({ type: 'email', controlValues: { subject: 'Hi', body: 'Hi', ...controlValues } })
const digest = (controlValues: object) =>
  withStep({ type: 'digest', controlValues: { amount: 1, unit: 'days', ...controlValues } })

describe('what the gateway cannot apply is a 422 that names', () => {
  test.each<readonly [string, object]>([
    ['steps.0.type', withStep({ type: 'throttle', controlValues: { amount: 1, unit: 'days' } })],
    ['steps.0.type', withStep({ type: 'custom', controlValues: {} })],
    ['steps.0.type', withStep({ type: 'http_request', controlValues: {} })],
    ['steps.0.controlValues.body', withStep({ type: 'in_app', controlValues: {} })],
    ['steps.0.controlValues.body', inApp({ body: '{{ payload' })],
    ['steps.0.controlValues.body', inApp({ body: '{{ steps.collect.events | toSentence }}' })],
    ['steps.0.controlValues.skip', inApp({ skip: { '==': [{ var: 'steps.later.read' }, true] } })],
    ['steps.0.controlValues.primaryAction.redirect', inApp({ primaryAction: { label: 'Track' } })],
    ['steps.0.controlValues.primaryAction', inApp({ secondaryAction: { label: 'Help', redirect: { url: '/' } } })],
    ['steps.0.controlValues.disableOutputSanitization', inApp({ disableOutputSanitization: true })],
    ['steps.0.controlValues.body', email({ body: '{"type":"doc","content":[]}' })],
    ['steps.0.controlValues.layoutId', email({ layoutId: 'default' })],
    ['steps.0.controlValues.useProviderDefaults', email({ useProviderDefaults: true })],
    ['steps.0.controlValues.from.email', email({ from: { email: 'nobody' } })],
    ['steps.0.controlValues.replyTo', email({ replyTo: 'nobody' })],
    ['steps.0.controlValues.subject', withStep({ type: 'push', controlValues: { body: 'Hi' } })],
    [
      'steps.0.controlValues.editorType',
      withStep({ type: 'chat', controlValues: { body: '{}', editorType: 'block' } }),
    ],
    ['steps.0.controlValues.unit', withStep({ type: 'delay', controlValues: { amount: 1, unit: 'months' } })],
    [
      'steps.0.controlValues.cron',
      withStep({ type: 'delay', controlValues: { amount: 1, unit: 'days', cron: '* * * * *' } }),
    ],
    [
      'steps.0.controlValues.type',
      withStep({ type: 'delay', controlValues: { type: 'timed', amount: 1, unit: 'days' } }),
    ],
    ['steps.0.controlValues.amount', withStep({ type: 'delay', controlValues: { unit: 'days' } })],
    ['steps.0.controlValues.lookBackWindow', digest({ lookBackWindow: { amount: 1, unit: 'days' } })],
    ['steps.0.controlValues.cron', digest({ cron: '* * * * *' })],
    ['steps.0.controlValues.digestKey', digest({ digestKey: 'subscriber.data.team' })],
    [
      'steps.0.providerOverrides.pagerduty',
      withStep({ type: 'tool', controlValues: { body: 'Hi' }, providerOverrides: { pagerduty: { severity: 'info' } } }),
    ],
    ['isTranslationEnabled', { ...small, isTranslationEnabled: true }],
    ['agent', { ...small, agent: { identifier: 'support' } }],
    ['__source', { ...small, source: 'bridge' }],
    ['workflowId', { ...small, workflowId: 'a b' }],
    ['payloadSchema.type', { ...small, payloadSchema: { type: 'nothing' } }],
    [
      'preferences.user.channels',
      { ...small, preferences: { user: { all: { readOnly: true }, channels: { email: { enabled: false } } } } },
    ],
  ])('%s', async (field, given) => {
    const failure: unknown = await client.workflows.create(given as CreateWorkflowDto).catch((error: unknown) => error)
    expect(failure).toMatchObject({ statusCode: 422, data$: { errors: { [field]: expect.anything() } } })
    expect(await acme.ask('{ workflows { totalCount } }')).toEqual({ workflows: { totalCount: 0 } })
  })

  test('a control value that it does not know', async () => {
    const body = { ...withStep({ type: 'sms', controlValues: { body: 'Hi', sound: 'loud' } }), __source: 'editor' }
    const { status, body: answer } = await acme.rest<{ errors: object }>('POST /novu/v2/workflows', { body })
    expect({ status, fields: Object.keys(answer.errors) }).toEqual({
      status: 422,
      fields: ['steps.0.controlValues.sound'],
    })
  })

  test('another workflowId in a change, and another environment', async () => {
    await client.workflows.create(small)
    const change = { name: 'Order', preferences: {}, steps: [] }
    await expect(client.workflows.update({ ...change, workflowId: 'other' }, 'order')).rejects.toMatchObject({
      data$: { errors: { workflowId: expect.anything() } },
    })
    await expect(client.workflows.update({ ...change, origin: 'external' }, 'order')).rejects.toMatchObject({
      data$: { errors: { origin: expect.anything() } },
    })
    await expect(client.workflows.get('order', 'elsewhere')).rejects.toMatchObject({
      data$: { errors: { environmentId: expect.anything() } },
    })
  })
})

describe('the list of workflows', () => {
  const namesOf = async (request: Parameters<Novu['workflows']['list']>[0]) => {
    const { result } = await client.workflows.list({ orderBy: 'name', orderDirection: 'ASC', ...request })
    return [result.workflows.map(({ workflowId }) => workflowId), result.totalCount] as const
  }

  beforeEach(async () => {
    await client.workflows.create({ ...small, workflowId: 'a', name: 'Alpha', tags: ['news'] })
    await client.workflows.create({ ...small, workflowId: 'b', name: 'Beta', tags: ['sale'], active: false })
    await client.workflows.create({ ...small, workflowId: 'c', name: 'Gamma', tags: ['sale', 'news'] })
  })

  test('is paged, searched and filtered', async () => {
    expect(await namesOf({})).toEqual([['a', 'b', 'c'], 3])
    expect(await namesOf({ limit: 1, offset: 1 })).toEqual([['b'], 3])
    expect(await namesOf({ offset: 3 })).toEqual([[], 3])
    expect(await namesOf({ query: 'amm' })).toEqual([['c'], 1])
    expect(await namesOf({ tags: ['news'] })).toEqual([['a', 'c'], 2])
    expect(await namesOf({ tags: ['news', 'sale'] })).toEqual([['a', 'b', 'c'], 3])
    expect(await namesOf({ status: ['INACTIVE'] })).toEqual([['b'], 1])
    expect(await namesOf({ status: ['ACTIVE', 'ERROR'] })).toEqual([['a', 'c'], 2])
    const { result } = await client.workflows.list({ query: 'alpha' })
    expect(result.workflows).toMatchObject([{ stepTypeOverviews: ['in_app'], steps: [{ slug: 'bell_st_bell' }] }])
  })

  test('shows a suspended workflow as an error', async () => {
    const { id, updatedAt, environmentId } = await world.gateway.db.workflow.findFirstOrThrow({
      where: { identifier: 'c', environmentId: await environmentIdOf(acme) },
    })
    await world.gateway.db.workflowSuspension.create({
      data: { environmentId, workflowId: id, version: updatedAt, stoppedAt: [], suspendedAt: updatedAt, reason: 'x' },
    })
    expect(await namesOf({ status: ['ERROR'] })).toEqual([['c'], 1])
    expect(await namesOf({ status: ['ACTIVE'] })).toEqual([['a'], 1])
    expect((await client.workflows.get('c')).result.status).toBe('ERROR')
  })

  test.each([{ orderBy: 'lastTriggeredAt' as const }, { status: ['ACTIVE' as const, 'INACTIVE' as const] }])(
    'names what it cannot do: %o',
    async (request) => {
      const [field = ''] = Object.keys(request)
      await expect(client.workflows.list(request)).rejects.toMatchObject({
        statusCode: 422,
        data$: { errors: { [field]: expect.anything() } },
      })
    },
  )
})

describe('the preview of a step', () => {
  beforeEach(() => client.workflows.create(whole))
  const preview = async (stepId: string, request = {}) =>
    (await client.workflows.steps.generatePreview({ workflowId: 'order', stepId, generatePreviewRequestDto: request }))
      .result

  test('renders its templates with examples', async () => {
    const previewPayload = { payload: { id: 7 }, subscriber: { firstName: 'Grace' } }
    expect(await preview('bell', { previewPayload })).toMatchObject({
      previewPayloadExample: { payload: { id: 7 }, subscriber: { firstName: 'Grace' } },
      result: {
        type: 'in_app',
        preview: {
          ...{ subject: 'Order 7', body: 'It is on its way.', redirect: { url: '/orders' } },
          primaryAction: { label: 'Track', redirect: { url: '/orders/7', target: '_blank' } },
          data: { order: '7', list: [1, { deep: true }] },
        },
      },
    })
    const controlValues = { body: 'Hello {{subscriber.firstName}} {{payload.id}}' }
    expect(await preview('bell', { previewPayload, controlValues })).toMatchObject({
      result: { type: 'in_app', preview: { body: 'Hello Grace 7' } },
    })
    expect(await acme.ask('{ subscribers { totalCount } }')).toEqual({ subscribers: { totalCount: 0 } })
  })

  test('shows an email, a wait, and why a step would not send', async () => {
    await acme.act('createIntegration', {
      ...{ providerId: 'NODEMAILER', name: 'Mail', identifier: 'mail' },
      credentials: { host: 'localhost', port: 25, from: 'shop@example.com' },
    })
    await acme.act('updateWorkflow', { identifier: 'order', channels: [] })
    expect(await preview('letter', { previewPayload: { payload: { id: '<7>' } } })).toMatchObject({
      result: { type: 'email', preview: { subject: 'Order', body: expect.stringContaining('&lt;7&gt;') } },
    })
    expect(await preview('collect')).toMatchObject({
      result: { type: 'digest', preview: { amount: 1, unit: 'days', digestKey: 'payload.order.id' } },
    })
    expect(await preview('text')).toMatchObject({
      result: { type: 'sms', preview: {}, error: { title: 'The step would be skipped' } },
    })
  })

  test('names a control value that is wrong', async () => {
    await expect(preview('wait', { controlValues: { amount: 1, unit: 'months' } })).rejects.toMatchObject({
      statusCode: 422,
      data$: { errors: { 'controlValues.unit': expect.anything() } },
    })
  })
})

test('a list costs the same number of statements, however many workflows it has', async () => {
  const countOf = async () => {
    const statements = await statementsOf(() => client.workflows.list({}))
    return statements.length
  }
  await client.workflows.create({ ...small, workflowId: 'first' })
  const one = await countOf()
  for (const workflowId of ['a', 'b', 'c']) await client.workflows.create({ ...small, workflowId })
  expect(await countOf()).toBe(one)
})
