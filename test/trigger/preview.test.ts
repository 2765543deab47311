// Previews: what a trigger would do, without sending anything.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
})

async function preview(input: Record<string, unknown>) {
  const { previewTrigger } = await acme.ask(
    `query ($input: PreviewTriggerInput!) { previewTrigger(input: $input) {
       status errors hasMore
       runs { subscriberId steps {
         stepId type status reason detail dueAt notification { subject body url }
         messages { providerId integrationIdentifier destination subject body }
       } }
     } }`,
    { input },
  )
  return previewTrigger
}

const ada = { subscriber: { subscriberId: 'ada', firstName: 'Ada', email: 'ada@example.com' } }

test('a preview shows the outcome of every step without waiting, and stores nothing', async () => {
  await acme.act('createIntegration', {
    identifier: 'mail',
    providerId: 'EMAIL_WEBHOOK',
    credentials: { webhookUrl: 'https://mail.example.com/send' },
  })
  await acme.act('createWorkflow', {
    identifier: 'welcome',
    name: 'Welcome',
    steps: [
      { inApp: { stepId: 'feed', subject: 'Hello {{subscriber.firstName}}', body: '{{context.tenant.id}}' } },
      { delay: { stepId: 'night', amount: 8, unit: 'HOURS' } },
      { digest: { stepId: 'day', amount: 1, unit: 'DAYS' } },
      { email: { stepId: 'mail', subject: '{{digest.count}} news', body: '{{payload.news}}' } },
      { sms: { stepId: 'text', body: 'Hello' } },
      { chat: { stepId: 'again', body: 'Hi', condition: { '==': [{ var: 'steps.mail.status' }, 'sent'] } } },
    ],
  })
  world.setClock(new Date('2030-01-01T00:00:00Z'))
  const shown = await preview({
    name: 'welcome',
    to: [ada],
    payload: { news: 'Much' },
    contexts: [{ type: 'tenant', identifier: 'globex' }],
  })
  world.setClock(undefined)
  const step = { reason: null, detail: null, dueAt: null, notification: null, messages: [] }
  expect(shown).toEqual({
    status: 'PROCESSED',
    errors: [],
    hasMore: false,
    runs: [
      {
        subscriberId: 'ada',
        steps: [
          {
            ...step,
            stepId: 'feed',
            type: 'IN_APP',
            status: 'SENT',
            notification: { subject: 'Hello Ada', body: 'globex', url: null },
          },
          { ...step, stepId: 'night', type: 'DELAY', status: 'COMPLETED', dueAt: '2030-01-01T08:00:00.000Z' },
          { ...step, stepId: 'day', type: 'DIGEST', status: 'COMPLETED', dueAt: '2030-01-02T08:00:00.000Z' },
          {
            ...step,
            stepId: 'mail',
            type: 'EMAIL',
            status: 'SENT',
            messages: [
              {
                providerId: 'EMAIL_WEBHOOK',
                integrationIdentifier: 'mail',
                destination: 'ada@example.com',
                subject: '1 news',
                body: 'Much',
              },
            ],
          },
          {
            ...step,
            stepId: 'text',
            type: 'SMS',
            status: 'SKIPPED',
            reason: 'no_integration',
            detail: 'The environment has no integration for the channel sms.',
          },
          {
            ...step,
            stepId: 'again',
            type: 'CHAT',
            status: 'SKIPPED',
            reason: 'no_integration',
            detail: 'The environment has no integration for the channel chat.',
          },
        ],
      },
    ],
  })
  await world.work({ early: true })
  expect(
    await acme.ask(`{
      subscribers { totalCount } contexts { totalCount } events { totalCount } workflowRuns { totalCount }
      deliveries { totalCount }
    }`),
  ).toEqual({
    subscribers: { totalCount: 0 },
    contexts: { totalCount: 0 },
    events: { totalCount: 0 },
    workflowRuns: { totalCount: 0 },
    deliveries: { totalCount: 0 },
  })
})

test('a preview of a topic shows the first 25 recipients and that more exist', async () => {
  await acme.act('createWorkflow', { identifier: 'news', name: 'News', steps: [{ inApp: { body: 'News' } }] })
  const subscribers = Array.from({ length: 30 }, (_, index) => ({ subscriberId: `reader-${index}` }))
  await acme.act('createSubscribers', { subscribers })
  await acme.act('createTopicSubscriptions', { topicKey: 'news', subscriptions: subscribers })
  const { runs, hasMore } = await preview({ workflowIdentifier: 'news', to: [{ topic: { topicKey: 'news' } }] })
  expect(runs).toHaveLength(25)
  expect(hasMore).toBe(true)
})

test('a preview explains why a trigger would do nothing', async () => {
  await acme.act('createWorkflow', { identifier: 'idle', name: 'Idle' })
  expect(await preview({ workflowIdentifier: 'idle', to: [ada] })).toEqual({
    status: 'NO_WORKFLOW_STEPS_DEFINED',
    errors: ['Workflow "idle" has no steps'],
    hasMore: false,
    runs: [],
  })
})

test('a preview rejects an unknown workflow, as a trigger does', async () => {
  const { errors } = await acme.send(
    '{ previewTrigger(input: { workflowIdentifier: "unknown", to: [{ subscriber: { subscriberId: "ada" } }] }) { status } }',
  )
  expect(errors).toMatchObject([{ message: 'Workflow "unknown" not found', extensions: { code: 'NOT_FOUND' } }])
})

test('a preview shows everything that the feed would show', async () => {
  const actions = [{ label: 'Open {{payload.id}}', url: '/orders/{{payload.id}}' }]
  const step = {
    body: 'x',
    avatar: '/{{subscriber.subscriberId}}.png',
    url: '/orders',
    actions,
    data: { kind: 'order' },
  }
  await acme.act('createWorkflow', { identifier: 'welcome', name: 'Welcome', steps: [{ inApp: step }] })
  const { previewTrigger } = await acme.ask(
    `{ previewTrigger(input: { workflowIdentifier: "welcome", to: [{ subscriber: { subscriberId: "ada" } }], payload: { id: 7 } }) {
         runs { steps { notification { avatar url actions { label url } data } } }
       } }`,
  )
  expect(previewTrigger.runs[0].steps[0].notification).toEqual({
    avatar: '/ada.png',
    url: '/orders',
    actions: [{ label: 'Open 7', url: '/orders/7' }],
    data: { kind: 'order' },
  })
})

describe('a preview of a workflow that is being edited', () => {
  const to = [{ subscriber: { subscriberId: 'ada', firstName: 'Ada' } }]
  const bell = (body: string, subject?: string) => ({ inApp: { stepId: 'bell', subject, body } })
  const bodyOf = ({ runs: [run] }: Awaited<ReturnType<typeof preview>>) => run.steps[0].notification.body
  /** The workflow afterwards, and whether an event exists. */
  const stored = () =>
    acme.ask(`{
      workflow(identifier: "welcome") { active payloadSchema steps { ... on InAppStep { body } } updatedAt }
      events { totalCount }
    }`)

  beforeEach(async () => {
    const payloadSchema = { required: ['name'] }
    await acme.act('createWorkflow', {
      identifier: 'welcome',
      name: 'Welcome',
      active: false,
      steps: [bell('Saved')],
      payloadSchema,
    })
  })

  test('shows unsaved steps, also of an inactive workflow, and saves nothing', async () => {
    const before = await stored()
    const steps = [bell('Hello {{subscriber.firstName}}'), { sms: { stepId: 'text', body: 'Hello' } }]
    const { status, runs } = await preview({ workflowIdentifier: 'welcome', to, payload: { name: 'x' }, steps })
    expect(status).toBe('PROCESSED')
    expect(runs[0].steps).toMatchObject([
      { stepId: 'bell', status: 'SENT', notification: { body: 'Hello Ada' } },
      { stepId: 'text', status: 'SKIPPED', reason: 'no_integration' },
    ])
    expect(await stored()).toEqual(before)
    expect(await preview({ workflowIdentifier: 'welcome', to, payload: { name: 'x' } })).toMatchObject({
      status: 'TRIGGER_NOT_ACTIVE',
      runs: [],
    })
  })

  test('validates the payload with the unsaved schema, and with none if it is null', async () => {
    const { errors } = await acme.send(
      `query ($input: PreviewTriggerInput!) { previewTrigger(input: $input) { status } }`,
      { input: { workflowIdentifier: 'welcome', to, payload: { name: 'x' }, payloadSchema: { required: ['total'] } } },
    )
    expect(errors).toMatchObject([{ message: expect.stringContaining('payload.total is required') }])
    expect(bodyOf(await preview({ workflowIdentifier: 'welcome', to, payloadSchema: null }))).toBe('Saved')
  })

  test('keeps the saved schema if only the steps are edited', async () => {
    const { errors } = await acme.send(
      `query ($input: PreviewTriggerInput!) { previewTrigger(input: $input) { status } }`,
      { input: { workflowIdentifier: 'welcome', to, steps: [bell('Hello')] } },
    )
    expect(errors).toMatchObject([{ message: expect.stringContaining('payload.name is required') }])
  })

  test('shows an error in a template with its step, and the other steps as they would run', async () => {
    const steps = [bell('Hello', '\n{% if payload.x %}'), { inApp: { stepId: 'second', body: 'Still here' } }]
    const { runs } = await preview({ workflowIdentifier: 'welcome', to, payload: { name: 'x' }, steps })
    expect(runs[0].steps).toMatchObject([
      { stepId: 'bell', status: 'FAILED', reason: 'content', detail: expect.stringMatching(/line 2, column \d+/) },
      { stepId: 'second', status: 'SENT', notification: { body: 'Still here' } },
    ])
  })

  test.each([
    ['steps that cannot be stored', { steps: [{ delay: { amount: 0, unit: 'DAYS' } }] }, 'steps[0].amount'],
    ['a schema that cannot be used', { payloadSchema: { type: 'nothing' } }, 'payloadSchema.type'],
  ])('rejects %s, and names the field', async (_name, draft, field) => {
    const { errors } = await acme.send(
      `query ($input: PreviewTriggerInput!) { previewTrigger(input: $input) { status } }`,
      { input: { workflowIdentifier: 'welcome', to, payload: { name: 'x' }, ...draft } },
    )
    expect(errors).toMatchObject([
      {
        message: expect.stringMatching(`^${field.replaceAll(/[[\]]/g, String.raw`\$&`)} `),
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ])
  })

  test('has no effect on triggers, which run the saved workflow', async () => {
    const { errors } = await acme.send(
      'mutation ($input: TriggerEventInput!) { triggerEvent(input: $input) { status } }',
      { input: { workflowIdentifier: 'welcome', to, steps: [bell('Hello')] } },
    )
    expect(errors).toMatchObject([{ message: expect.stringContaining('"steps" is not defined') }])
    const body = { name: 'welcome', to: 'ada', payload: { name: 'x' } }
    expect(await acme.rest('POST /v1/events/trigger', { body: { ...body, unsaved: { steps: [] } } })).toMatchObject({
      status: 422,
      body: { errors: { unsaved: {} } },
    })
    expect(await acme.rest('POST /v1/events/trigger', { body })).toMatchObject({
      status: 201,
      body: { status: 'trigger_not_active' },
    })
  })
})

test('a template can read every variable that the schema describes', async () => {
  const { type } = await acme.ask<{ type: { description: string } }>(
    '{ type: __type(name: "WorkflowStep") { description } }',
  )
  const names = Array.from(type.description.matchAll(/^- `(\w+)`:/gm), ([, name]) => name)
  expect(names).toEqual([
    ...['subscriber', 'payload', 'context', 'actor', 'workflow', 'transactionId', 'steps', 'digest', 'unsubscribe'],
  ])
  const body = names.map((name) => `{{ ${name} | json }}`).join('\n')
  const steps = [{ digest: { stepId: 'day', amount: 1, unit: 'DAYS' } }, { inApp: { body } }]
  await acme.act('createWorkflow', { identifier: 'all', name: 'All', steps })
  const { runs } = await preview({
    name: 'all',
    to: [ada],
    payload: { n: 1 },
    contexts: [{ type: 'tenant', identifier: 'acme', data: { plan: 'pro' } }],
    actor: { subscriberId: 'grace' },
  })
  const read: unknown[] = runs[0].steps[1].notification.body.split('\n').map((line: string) => JSON.parse(line))
  const profile = { lastName: null, phone: null, avatar: null, locale: null, timezone: null, data: {} }
  const events = [
    {
      payload: { n: 1 },
      createdAt: expect.any(String),
      transactionId: expect.any(String),
      actor: { subscriberId: 'grace', firstName: null, lastName: null },
    },
  ]
  expect(read).toEqual([
    { ...profile, subscriberId: 'ada', firstName: 'Ada', email: 'ada@example.com' },
    { n: 1 },
    { tenant: { id: 'acme', data: { plan: 'pro' } } },
    { ...profile, subscriberId: 'grace', firstName: null, email: null },
    { identifier: 'all', name: 'All' },
    expect.any(String),
    {
      day: {
        ...{ status: 'completed', reason: null, seen: false, read: false, messageId: null },
        ...{ delivered: false, bounced: false, eventCount: 1, events },
      },
    },
    { count: 1, events },
    // A notification stays in the feed, where a link would have no token.
    { url: '', preferencesUrl: '' },
  ])
})

test('a caller who only reads can preview, and nothing is stored', async () => {
  await acme.act('createWorkflow', { identifier: 'welcome', name: 'Welcome', steps: [{ inApp: { body: 'Hello' } }] })
  const { newApiKey } = await acme.act('createApiKey', { name: 'Reader', access: 'READ_ONLY' }, 'newApiKey { key }')
  const reader = world.client(newApiKey.key)
  const { previewTrigger } = await reader.ask<{ previewTrigger: { status: string } }>(
    `{ previewTrigger(input: { workflowIdentifier: "welcome", to: [{ subscriber: { subscriberId: "ada" } }] }) { status } }`,
  )
  expect(previewTrigger.status).toBe('PROCESSED')
  expect(await acme.ask('{ subscribers { totalCount } events { totalCount } }')).toEqual({
    subscribers: { totalCount: 0 },
    events: { totalCount: 0 },
  })
})
