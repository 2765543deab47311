// Previews: what a trigger would do, without sending anything.
import { beforeEach, expect, test } from 'vitest'
import { type Client, type Data, useWorld } from './support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
})

async function preview(input: Record<string, unknown>): Promise<Data> {
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
  await acme.act('createIntegration', { identifier: 'mail', providerId: 'EMAIL_WEBHOOK' })
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
          { ...step, stepId: 'day', type: 'DIGEST', status: 'COMPLETED', dueAt: '2030-01-02T00:00:00.000Z' },
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
            detail: 'No active integration for this channel matches the contexts.',
          },
          {
            ...step,
            stepId: 'again',
            type: 'CHAT',
            status: 'SKIPPED',
            reason: 'no_integration',
            detail: 'No active integration for this channel matches the contexts.',
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

test('a preview of a topic shows its first 25 recipients and that there are more', async () => {
  await acme.act('createWorkflow', { identifier: 'news', name: 'News', steps: [{ inApp: { body: 'News' } }] })
  const subscribers = Array.from({ length: 30 }, (_, index) => ({ subscriberId: `reader-${index}` }))
  await acme.act('createSubscribers', { subscribers })
  await acme.act('createTopicSubscriptions', { topicKey: 'news', subscriptions: subscribers })
  const { runs, hasMore } = await preview({ name: 'news', to: [{ topic: { topicKey: 'news' } }] })
  expect(runs).toHaveLength(25)
  expect(hasMore).toBe(true)
})

test('a preview explains why a trigger would do nothing', async () => {
  await acme.act('createWorkflow', { identifier: 'idle', name: 'Idle' })
  expect(await preview({ name: 'idle', to: [ada] })).toEqual({
    status: 'NO_WORKFLOW_STEPS_DEFINED',
    errors: ['Workflow "idle" has no steps'],
    hasMore: false,
    runs: [],
  })
})

test('a preview rejects an unknown workflow, as a trigger does', async () => {
  const { errors } = await acme.send(
    '{ previewTrigger(input: { name: "unknown", to: [{ subscriber: { subscriberId: "ada" } }] }) { status } }',
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
    `{ previewTrigger(input: { name: "welcome", to: [{ subscriber: { subscriberId: "ada" } }], payload: { id: 7 } }) {
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
