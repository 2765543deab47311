// Ways in which a step is decided not to be sent: conditions, preferences, integrations and destinations.
import { activateAll, createIntegration, done } from '../delivery/story.ts'
import { ofStep, send, type Stage, type Way, workflow } from './way.ts'

const bell = { inApp: { stepId: 'bell', body: 'Hello' } }
const mail = { email: { stepId: 'mail', subject: 'Hi', body: 'Hello' } }
const tool = { tool: { stepId: 'tool', body: 'Hello' } }
const isPro = { '==': [{ var: 'payload.plan' }, 'pro'] }
const isAcme = { '==': [{ var: 'context.tenant.id' }, 'acme'] }
const tenant = (identifier: string) => [{ type: 'tenant', identifier }]

/** A workflow with one step, triggered. */
async function sent(stage: Stage, step: object, more: object = {}, given: object = {}) {
  await workflow(stage, [step], more)
  await send(stage, given)
  return ofStep(stage)
}

const prefer = ({ client }: Stage, input: object) =>
  done(client, 'updateSubscriberPreferences', { subscriberId: 'ada', ...input })

/** Subscribes Ada to the topic `news`, and triggers the workflow for it. */
async function subscribed(stage: Stage, preference: object) {
  const { client } = stage
  await workflow(stage, [bell])
  await done(client, 'createTopicSubscriptions', {
    topicKey: 'news',
    subscriptions: [{ subscriberId: 'ada' }],
    preferences: [{ workflow: { workflowId: 'order', ...preference } }],
  })
  await send(stage, { to: { type: 'Topic', topicKey: 'news' }, payload: { plan: 'free' } })
  return ofStep(stage)
}

const desk = ({ client, receiver }: Stage, more: object = {}) =>
  done(client, 'createChannelEndpoint', {
    identifier: 'desk',
    subscriberId: 'ada',
    integrationIdentifier: 'tools',
    endpoint: { toolWebhook: { url: receiver.url } },
    ...more,
  })

const tools = (stage: Stage, more: object = {}) =>
  createIntegration(stage.client, 'TOOL_WEBHOOK', stage.receiver.url, { identifier: 'tools', ...more })

/** Ways of a gateway that may only call public addresses. */
export const blockedWays: readonly Way[] = [
  [
    'the gateway may not call the address',
    async (stage) => {
      await createIntegration(stage.client, 'EMAIL_WEBHOOK', 'http://10.0.0.1/', { identifier: 'post' })
      return sent(stage, mail)
    },
  ],
]

export const decidedWays: readonly Way[] = [
  [
    'the environment captures messages',
    async (stage) => {
      const { environment } = await stage.client.ask('{ environment { identifier } }')
      const { identifier } = environment
      await done(stage.world.production, 'updateEnvironment', { identifier, sending: 'CAPTURE' })
      return sent(stage, mail)
    },
  ],
  [
    'the condition of the step is not met',
    (stage) => sent(stage, { inApp: { ...bell.inApp, condition: isPro } }, {}, { payload: { plan: 'free' } }),
  ],
  [
    'the condition of the step cannot be evaluated',
    (stage) => {
      const condition = { cat: [{ var: 'payload.text' }, { var: 'payload.text' }] }
      return sent(stage, { inApp: { ...bell.inApp, condition } }, {}, { payload: { text: 'a'.repeat(60_000) } })
    },
  ],
  [
    'the step is inactive',
    async (stage) => {
      const off = { inApp: { stepId: 'off', body: 'Hello', active: false } }
      await workflow(stage, [off, bell])
      await send(stage)
      return ofStep(stage)
    },
  ],
  [
    'the subscriber turned the channel off for the workflow',
    async (stage) => {
      await workflow(stage, [bell])
      await prefer(stage, { workflowId: 'order', channels: [{ channel: 'IN_APP', enabled: false }] })
      await send(stage)
      return ofStep(stage)
    },
  ],
  [
    'the subscriber turned the workflow off',
    async (stage) => {
      await workflow(stage, [bell])
      await prefer(stage, { workflowId: 'order', enabled: false })
      await send(stage)
      return ofStep(stage)
    },
  ],
  [
    'the subscriber turned the channel off for the category',
    async (stage) => {
      await stage.client.act('createCategory', { key: 'news', name: 'News' })
      await prefer(stage, { categoryKey: 'news', channels: [{ channel: 'IN_APP', enabled: false }] })
      return sent(stage, bell, { categoryKey: 'news' })
    },
  ],
  [
    'the subscriber turned the category off',
    async (stage) => {
      await stage.client.act('createCategory', { key: 'news', name: 'News' })
      await prefer(stage, { categoryKey: 'news', enabled: false })
      return sent(stage, bell, { categoryKey: 'news' })
    },
  ],
  [
    'the subscriber turned the channel off for all workflows',
    async (stage) => {
      await prefer(stage, { channels: [{ channel: 'IN_APP', enabled: false }] })
      return sent(stage, bell)
    },
  ],
  [
    'the subscriber turned everything off',
    async (stage) => {
      await prefer(stage, { enabled: false })
      return sent(stage, bell)
    },
  ],
  [
    "it is outside the hours of the subscriber's schedule",
    async (stage) => {
      const hours = [{ start: '09:00', end: '17:00' }]
      await prefer(stage, { schedule: { isEnabled: true, days: [{ day: 'MONDAY', hours }] } })
      return sent(stage, { email: { stepId: 'mail', subject: 'Hi', body: 'Hello' } })
    },
  ],
  [
    'the category does not use the channel by default',
    async (stage) => {
      const channels = [{ channel: 'IN_APP', enabled: false }]
      await stage.client.act('createCategory', { key: 'news', name: 'News', channels })
      return sent(stage, bell, { categoryKey: 'news' })
    },
  ],
  [
    'the workflow does not use the channel by default',
    (stage) => sent(stage, bell, { channels: [{ channel: 'IN_APP', enabled: false }] }),
  ],
  ['the topic subscription turned the workflow off', (stage) => subscribed(stage, { enabled: false })],
  ['the condition of the topic subscription is not met', (stage) => subscribed(stage, { condition: isPro })],
  ['there is no integration for the channel', (stage) => sent(stage, mail)],
  [
    'the integration is inactive',
    async (stage) => {
      await createIntegration(stage.client, 'EMAIL_WEBHOOK', stage.receiver.url, { identifier: 'post', active: false })
      return sent(stage, mail)
    },
  ],
  [
    'the integration is for another tenant',
    async (stage) => {
      await createIntegration(stage.client, 'EMAIL_WEBHOOK', stage.receiver.url, {
        identifier: 'post',
        conditions: isAcme,
      })
      return sent(stage, mail, {}, { context: { tenant: 'globex' } })
    },
  ],
  [
    'the subscriber has no email address',
    async (stage) => {
      await createIntegration(stage.client, 'EMAIL_WEBHOOK', stage.receiver.url, { identifier: 'post' })
      await done(stage.client, 'updateSubscriber', { subscriberId: 'ada', email: null })
      return sent(stage, mail)
    },
  ],
  [
    'the endpoint exists under another context',
    async (stage) => {
      await tools(stage)
      await desk(stage, { contexts: tenant('acme') })
      return sent(stage, tool)
    },
  ],
  [
    'the integration of the endpoint is not used',
    async (stage) => {
      await tools(stage, { conditions: isAcme })
      await tools(stage, { identifier: 'others' })
      await desk(stage)
      return sent(stage, tool)
    },
  ],
  [
    'a template cannot be rendered',
    (stage) =>
      sent(stage, { inApp: { ...bell.inApp, url: '{{payload.url}}' } }, {}, { payload: { url: 'javascript:1' } }),
  ],
  [
    'the provider is not implemented',
    async (stage) => {
      const fields = { identifier: 'post', providerId: 'BRAZE', credentials: {} }
      await done(stage.client, 'createIntegration', fields)
      await activateAll(stage.world)
      return sent(stage, mail)
    },
  ],
  [
    'the provider does not deliver to endpoints of the type',
    async (stage) => {
      const fields = { identifier: 'tools', providerId: 'PAGERDUTY', credentials: {} }
      await done(stage.client, 'createIntegration', fields)
      await activateAll(stage.world)
      await desk(stage)
      return sent(stage, tool)
    },
  ],
  [
    'the channel connection of the endpoint does not exist',
    async (stage) => {
      await done(stage.client, 'createIntegration', { identifier: 'slack', providerId: 'SLACK' })
      await done(stage.client, 'createChannelEndpoint', {
        ...{ identifier: 'general', subscriberId: 'ada', integrationIdentifier: 'slack' },
        ...{ connectionIdentifier: 'acme', endpoint: { workspaceChatChannel: { channelId: 'C1' } } },
      })
      return sent(stage, { chat: { stepId: 'chat', body: 'Hello' } })
    },
  ],
  [
    'the integration lacks its credentials',
    async (stage) => {
      await done(stage.client, 'createIntegration', { identifier: 'post', providerId: 'SENDGRID', credentials: {} })
      await activateAll(stage.world)
      return sent(stage, mail)
    },
  ],
]
