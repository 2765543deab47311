// Ways in which nothing arrives after the decision or before it: events without runs, waits, digests, answers of providers,
// cancellations, and feeds in which nobody looks.
import { createIntegration, done } from '../delivery/story.ts'
import { ofEvent, ofStep, send, type Stage, type Way, workflow } from './way.ts'

const bell = { inApp: { stepId: 'bell', body: 'Hello' } }
const mail = { email: { stepId: 'mail', subject: 'Hi', body: 'Hello' } }
const tool = { tool: { stepId: 'tool', body: 'Hello' } }
const wait = { delay: { stepId: 'wait', amount: 1, unit: 'HOURS' } }
const news = { type: 'Topic', topicKey: 'news' }

/** Triggers a workflow that reaches nobody. */
async function unheard(stage: Stage, steps: readonly object[], more: object = {}, given: object = {}) {
  await workflow(stage, steps, more)
  await send(stage, given)
  return ofEvent(stage)
}

/** Sends an email that the provider answers with this status. */
async function answered(stage: Stage, status: number, body: string, headers: Record<string, string> = {}) {
  const { client, receiver } = stage
  receiver.answer(status, body, headers)
  await createIntegration(client, 'EMAIL_WEBHOOK', receiver.url, { identifier: 'post' })
  await workflow(stage, [mail])
  await send(stage)
  return ofStep(stage)
}

/** Sends to a tool whose endpoint fails at first, and changes something before the next attempt. */
async function changedBetween(stage: Stage, change: (tools: string) => Promise<unknown>) {
  const { client, receiver, world } = stage
  const tools = await createIntegration(client, 'TOOL_WEBHOOK', receiver.url, { identifier: 'tools' })
  await done(client, 'createChannelEndpoint', {
    ...{ identifier: 'desk', subscriberId: 'ada', integrationIdentifier: 'tools' },
    endpoint: { toolWebhook: { url: receiver.url } },
  })
  receiver.answer(503, 'busy')
  await workflow(stage, [tool])
  await send(stage)
  await change(tools)
  world.setClock(new Date('2027-01-01T13:00:00Z'))
  await world.work()
  return ofStep(stage)
}

const feedEntry = (stage: Stage) =>
  stage.client.ask('{ subscriber(subscriberId: "ada") { notifications { nodes { id } } } }')

export const laterWays: readonly Way[] = [
  ['the workflow is inactive', (stage) => unheard(stage, [bell], { active: false })],
  ['the workflow has no steps', (stage) => unheard(stage, [])],
  ['no step of the workflow is active', (stage) => unheard(stage, [{ inApp: { ...bell.inApp, active: false } }])],
  [
    'nobody is subscribed to the topic',
    async (stage) => {
      await done(stage.client, 'createTopic', { key: 'news' })
      return unheard(stage, [bell], {}, { to: news })
    },
  ],
  [
    'everyone who is subscribed is excluded',
    async (stage) => {
      await done(stage.client, 'createTopicSubscriptions', {
        topicKey: 'news',
        subscriptions: [{ subscriberId: 'ada' }],
      })
      return unheard(stage, [bell], {}, { to: { ...news, exclude: ['ada'] } })
    },
  ],
  [
    'the step waits in a delay',
    async (stage) => {
      await workflow(stage, [wait, bell])
      await send(stage)
      return ofStep(stage)
    },
  ],
  [
    'the event was merged into a digest',
    async (stage) => {
      await workflow(stage, [{ digest: { stepId: 'wait', amount: 1, unit: 'HOURS' } }, bell])
      await send(stage)
      await send(stage, { transactionId: 'order-2' })
      return ofStep(stage, 'order-2')
    },
  ],
  [
    'the event was cancelled',
    async (stage) => {
      await workflow(stage, [wait, bell])
      await send(stage)
      await done(stage.client, 'cancelEvent', { transactionId: 'order-1' })
      await stage.world.work()
      return ofStep(stage)
    },
  ],
  [
    'the subscriber was deleted',
    async (stage) => {
      await workflow(stage, [wait, bell])
      await send(stage)
      await done(stage.client, 'deleteSubscriber', { subscriberId: 'ada' })
      await stage.world.work()
      return ofStep(stage)
    },
  ],
  ['the provider rejects the credentials', (stage) => answered(stage, 401, 'who are you?')],
  ['the provider rejects the message', (stage) => answered(stage, 422, 'unknown recipient')],
  ['the message is attempted again', (stage) => answered(stage, 503, 'busy', { 'retry-after': '60' })],
  [
    'the provider cannot be reached',
    async (stage) => {
      await createIntegration(stage.client, 'EMAIL_WEBHOOK', 'http://127.0.0.1:1', { identifier: 'post' })
      await workflow(stage, [mail])
      await send(stage)
      const told = await ofStep(stage)
      // The pause is random within bounds.
      return { ...told, words: told.words.replace(/12:00:0[1-9]\.\d{3}Z/, '12:00:05.000Z') }
    },
  ],
  [
    'the endpoint was deleted between two attempts',
    (stage) => changedBetween(stage, () => done(stage.client, 'deleteChannelEndpoint', { identifier: 'desk' })),
  ],
  [
    'the integration was deactivated between two attempts',
    (stage) => changedBetween(stage, (id) => done(stage.client, 'updateIntegration', { id, active: false })),
  ],
  [
    'the notification is in the feed of another context',
    async (stage) => {
      await workflow(stage, [bell])
      await send(stage, { context: { tenant: 'acme' } })
      return ofStep(stage)
    },
  ],
  [
    'the notification was deleted from the feed',
    async (stage) => {
      await workflow(stage, [bell])
      await send(stage)
      const { subscriber } = await feedEntry(stage)
      await done(stage.client, 'deleteNotification', { id: subscriber.notifications.nodes[0].id })
      return ofStep(stage)
    },
  ],
]
