// Ways in which nothing arrives after the decision or before it: events without runs, waits, digests, answers of providers,
// cancellations, and feeds in which nobody looks.
import { SMTPServer } from 'smtp-server'
import { listening } from '../delivery/receiver.ts'
import { activateAll, createIntegration, done } from '../delivery/story.ts'
import { ofEvent, ofStep, send, type Stage, type Told, type Way, workflow } from './way.ts'

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

/** The pause before the next attempt is random within bounds. */
const withSteadyTime = (told: Told): Told => ({
  ...told,
  words: told.words.replace(/12:00:0[1-9]\.\d{3}Z/, '12:00:05.000Z'),
})

/** Sends an email through Resend, whose account may not use the sender. */
async function restrictedAccount(stage: Stage) {
  const credentials = { apiKey: 're_key', from: 'shop@example.com', baseUrl: stage.receiver.url }
  await done(stage.client, 'createIntegration', { identifier: 'post', providerId: 'RESEND', credentials })
  stage.receiver.answer(403, { name: 'validation_error', message: 'The domain is not verified' })
  await workflow(stage, [mail])
  await send(stage)
  return ofStep(stage)
}

/** Sends an email with a file that its server no longer has. */
async function lostFile(stage: Stage) {
  const { client, receiver } = stage
  receiver.answer(404)
  await createIntegration(client, 'EMAIL_WEBHOOK', receiver.url, { identifier: 'post' })
  await workflow(stage, [mail])
  await send(stage, { attachments: [{ url: { url: `${receiver.url}/invoice.pdf` } }] })
  return ofStep(stage)
}

/** Sends a push notification to a device from which the app was removed. */
async function unregisteredDevice(stage: Stage) {
  const { client, receiver } = stage
  const credentials = { baseUrl: receiver.url }
  await done(client, 'createIntegration', { identifier: 'push', providerId: 'EXPO', credentials })
  await done(client, 'setSubscriberCredentials', {
    ...{ subscriberId: 'ada', providerId: 'EXPO', credentials: { deviceTokens: ['phone'] } },
  })
  receiver.answer(200, { data: { status: 'error', details: { error: 'DeviceNotRegistered' } } })
  await workflow(stage, [{ push: { stepId: 'alert', subject: 'Hi', body: 'Hello' } }])
  await send(stage)
  return ofStep(stage)
}

/** Sends an email to a mail server that does not know the recipient. */
async function unknownMailbox(stage: Stage) {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onRcptTo: (_address, _session, callback) =>
      callback(Object.assign(new Error('5.1.1 no such user'), { responseCode: 550 })),
  })
  const port = await listening(server.server)
  const credentials = { host: '127.0.0.1', port: String(port), from: 'shop@example.com', senderName: 'The Shop' }
  await done(stage.client, 'createIntegration', { identifier: 'post', providerId: 'NODEMAILER', credentials })
  await activateAll(stage.world)
  await workflow(stage, [mail])
  await send(stage)
  await new Promise<void>((resolve) => server.close(resolve))
  const told = await ofStep(stage)
  return { ...told, words: told.words.replace(`:${port}`, ':2525') }
}

/** Sends an email for a topic to which Ada is not subscribed any more at the next attempt. */
async function leftTopic(stage: Stage) {
  const { client, receiver, world } = stage
  const subscriptions = [{ subscriberId: 'ada', identifier: 'ada-in-news' }]
  await done(client, 'createTopicSubscriptions', { topicKey: 'news', subscriptions })
  await createIntegration(client, 'EMAIL_WEBHOOK', receiver.url, { identifier: 'post' })
  receiver.answer(503, 'busy')
  await workflow(stage, [mail])
  await send(stage, { to: news })
  await done(client, 'deleteTopicSubscriptions', { topicKey: 'news', subscriptions: [{ identifier: 'ada-in-news' }] })
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
  ['the topic subscription was removed between two attempts', leftTopic],
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
  ['the account at the provider may not send', restrictedAccount],
  ['the mail server rejects the recipient', unknownMailbox],
  ['the app was removed from the device', unregisteredDevice],
  ['a file of the email is not at its URL', lostFile],
  [
    'the provider received the request and did not respond at any attempt',
    async (stage) => {
      stage.receiver.respond((response) => response.destroy())
      await createIntegration(stage.client, 'EMAIL_WEBHOOK', stage.receiver.url, { identifier: 'post' })
      await workflow(stage, [mail])
      await send(stage)
      await stage.world.work({ early: true })
      return ofStep(stage)
    },
  ],
  [
    'the provider was unavailable at every attempt',
    async (stage) => {
      await answered(stage, 503, 'busy')
      await stage.world.work({ early: true })
      return ofStep(stage)
    },
  ],
  [
    'the provider does not respond in time',
    async (stage) => {
      stage.receiver.respond(() => {})
      await createIntegration(stage.client, 'EMAIL_WEBHOOK', stage.receiver.url, { identifier: 'post' })
      await workflow(stage, [mail])
      await send(stage)
      return withSteadyTime(await ofStep(stage))
    },
  ],
  ['the message is attempted again', (stage) => answered(stage, 503, 'busy', { 'retry-after': '60' })],
  [
    'the provider cannot be reached',
    async (stage) => {
      await createIntegration(stage.client, 'EMAIL_WEBHOOK', 'http://127.0.0.1:1', { identifier: 'post' })
      await workflow(stage, [mail])
      await send(stage)
      return withSteadyTime(await ofStep(stage))
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
