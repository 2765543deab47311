// What the published client creates is delivered: integrations, endpoints of each type, and workflows with each type of step.
import type { Novu } from '@novu/api'
import type { CreateWorkflowDto, CredentialsDto } from '@novu/api/models/components/index.js'
import type { ChannelEndpointsControllerCreateChannelEndpointRequestBody as NewEndpoint } from '@novu/api/models/operations/index.js'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { bodiesOf, done } from '../../support/delivery/story.ts'
import { novuClient } from '../../support/novu/client.ts'
import { type Client, useWorld } from '../../support/world.ts'

const receiver = useReceiver()
const world = useWorld({ allowPrivateAddresses: true })
let acme: Client
let client: Novu

beforeEach(async () => {
  acme = await world.environment()
  client = novuClient(world, acme.key)
  await client.subscribers.create({ subscriberId: 'ada', email: 'ada@example.com', phone: '+4915123456789' })
})

type Channel = 'email' | 'sms' | 'push' | 'chat' | 'tool'

const integrate = (providerId: string, channel: Channel, credentials: CredentialsDto) =>
  client.integrations.create({ providerId, channel, identifier: providerId, active: true, credentials })

const body = 'Hello {{subscriber.subscriberId}}'
const step = {
  chat: { type: 'chat', name: 'Chat', controlValues: { body } },
  sms: { type: 'sms', name: 'Text', controlValues: { body } },
  tool: { type: 'tool', name: 'Page', controlValues: { body } },
} as const satisfies Partial<Record<Channel, CreateWorkflowDto['steps'][number]>>

interface Story {
  readonly provider: string
  readonly channel: keyof typeof step
  /** Undefined if the provider is called at the address of the endpoint, and has no settings. */
  readonly credentials?: CredentialsDto
  /** Returns the endpoint, given the address of the receiver. */
  readonly endpoint: (url: string) => NewEndpoint
  /** The requests that the receiver gets, in part. */
  readonly received: readonly object[]
}

/** What all endpoints have. */
const of = (integrationIdentifier: string) => ({ integrationIdentifier, subscriberId: 'ada' })

const text = 'Hello ada'
const routingKey = 'R0123456789abcdef0123456789abcde'
const apiKey = '0199b0a0-0000-4000-8000-000000000000'
const token = { apiToken: '1:token' }
const twilio = { accountSid: 'AC1', token: 'secret', from: '+49301' }
/** Its tokens are in connections. */
const application = { clientId: 'C1', secretKey: 'secret', redirectUrl: 'https://acme.example/app' }
const bot = { clientId: 'app-1', secretKey: 'secret', tenantId: 'T1' }
const authorization = 'Bearer 1:token'

const stories: Readonly<Record<string, Story>> = {
  slack_channel: {
    ...{ provider: 'slack', channel: 'chat', credentials: application },
    endpoint: () => ({
      ...of('slack'),
      connectionIdentifier: 'acme',
      type: 'slack_channel',
      endpoint: { channelId: 'C1' },
    }),
    received: [{ path: '/api/chat.postMessage', headers: { authorization }, json: { channel: 'C1', text } }],
  },
  slack_user: {
    ...{ provider: 'slack', channel: 'chat', credentials: application },
    endpoint: () => ({ ...of('slack'), connectionIdentifier: 'acme', type: 'slack_user', endpoint: { userId: 'U1' } }),
    received: [{ path: '/api/chat.postMessage', headers: { authorization }, json: { channel: 'U1', text } }],
  },
  webhook: {
    ...{ provider: 'mattermost', channel: 'chat' },
    endpoint: (url) => ({ ...of('mattermost'), type: 'webhook', endpoint: { url: `${url}/hook`, channel: 'general' } }),
    received: [{ path: '/hook', json: { text, channel: 'general' } }],
  },
  phone: {
    ...{ provider: 'twilio', channel: 'sms', credentials: twilio },
    endpoint: () => ({ ...of('twilio'), type: 'phone', endpoint: { phoneNumber: '+4930222' } }),
    received: [{ path: '/2010-04-01/Accounts/AC1/Messages.json', body: expect.stringContaining('To=%2B4930222') }],
  },
  ms_teams_channel: {
    ...{ provider: 'msteams', channel: 'chat', credentials: bot },
    endpoint: () => ({ ...of('msteams'), type: 'ms_teams_channel', endpoint: { teamId: 'T1', channelId: 'C1' } }),
    received: [{ path: '/v3/conversations', json: { channelData: { channel: { id: 'C1' } } } }],
  },
  ms_teams_user: {
    ...{ provider: 'msteams', channel: 'chat', credentials: bot },
    endpoint: () => ({ ...of('msteams'), type: 'ms_teams_user', endpoint: { userId: '29:ada' } }),
    received: [
      { path: '/v3/conversations', json: { members: [{ id: '29:ada' }] } },
      { path: '/v3/conversations/1/activities', json: { text } },
    ],
  },
  webex_room: {
    ...{ provider: 'webex-messaging', channel: 'chat', credentials: application },
    endpoint: () => ({
      ...of('webex-messaging'),
      connectionIdentifier: 'acme',
      type: 'webex_room',
      endpoint: { roomId: 'R1', parentId: 'M1' },
    }),
    received: [{ path: '/v1/messages', headers: { authorization }, json: { roomId: 'R1', parentId: 'M1', text } }],
  },
  webex_person: {
    ...{ provider: 'webex-messaging', channel: 'chat', credentials: application },
    endpoint: () => ({
      ...of('webex-messaging'),
      connectionIdentifier: 'acme',
      type: 'webex_person',
      endpoint: { personId: 'P1' },
    }),
    received: [{ path: '/v1/messages', json: { toPersonId: 'P1', text } }],
  },
  line_user: {
    ...{ provider: 'line', channel: 'chat', credentials: token },
    endpoint: () => ({ ...of('line'), type: 'line_user', endpoint: { userId: 'U1' } }),
    received: [{ path: '/v2/bot/message/push', headers: { authorization }, json: { to: 'U1', messages: [{ text }] } }],
  },
  telegram_chat: {
    ...{ provider: 'telegram', channel: 'chat', credentials: token },
    endpoint: () => ({ ...of('telegram'), type: 'telegram_chat', endpoint: { chatId: '42' } }),
    received: [{ path: '/bot1:token/sendMessage', json: { chat_id: '42', text } }],
  },
  grafana_oncall_integration: {
    ...{ provider: 'grafana', channel: 'tool' },
    endpoint: (url) => ({
      ...of('grafana'),
      type: 'grafana_oncall_integration',
      endpoint: { url: `${url}/oncall`, authToken: 'token' },
    }),
    received: [{ path: '/oncall', headers: { authorization: 'Bearer token' }, json: { message: text } }],
  },
  tool_webhook: {
    ...{ provider: 'tool-webhook', channel: 'tool', credentials: { secretKey: 'secret' } },
    endpoint: (url) => ({
      ...of('tool-webhook'),
      type: 'tool_webhook',
      endpoint: { url: `${url}/tool`, method: 'PUT' },
    }),
    received: [{ path: '/tool', method: 'PUT', json: { content: text } }],
  },
  pagerduty_service: {
    ...{ provider: 'pagerduty', channel: 'tool', credentials: {} },
    endpoint: () => ({ ...of('pagerduty'), type: 'pagerduty_service', endpoint: { routingKey, region: 'eu' } }),
    received: [{ path: '/v2/enqueue', json: { routing_key: routingKey, payload: { summary: text } } }],
  },
  opsgenie_integration: {
    ...{ provider: 'opsgenie', channel: 'tool', credentials: {} },
    endpoint: () => ({ ...of('opsgenie'), type: 'opsgenie_integration', endpoint: { apiKey, region: 'eu' } }),
    received: [{ path: '/v2/alerts', headers: { authorization: `GenieKey ${apiKey}` }, json: { message: text } }],
  },
}

const connect = (integrationIdentifier: string) =>
  client.channelConnections.create({
    ...{ identifier: 'acme', integrationIdentifier, workspace: { id: 'T1' }, auth: { accessToken: '1:token' } },
  })

async function setLoginUrl(loginUrl: string): Promise<void> {
  const { integration } = await acme.ask('{ integration(identifier: "msteams") { id } }')
  await done(acme, 'updateIntegration', {
    id: integration.id,
    credentials: { ...bot, baseUrl: receiver.url, loginUrl },
  })
}

describe('an integration and an endpoint of the type', () => {
  test.each(Object.entries(stories))('%s deliver', async (_type, story) => {
    const { provider, channel, credentials, endpoint, received } = story
    receiver.answer(200, { ok: true, id: '1', access_token: 'access', expires_in: 3_600 })
    await integrate(provider, channel, credentials ? { ...credentials, baseUrl: receiver.url } : {})
    if (credentials === application) await connect(provider)
    // The client has no setting for the address that issues access tokens.
    if (credentials === bot) await setLoginUrl(`${receiver.url}/token`)
    await client.channelEndpoints.create(endpoint(receiver.url))
    await client.workflows.create({ workflowId: 'order', name: 'Order', active: true, steps: [step[channel]] })
    await client.trigger({ workflowId: 'order', to: 'ada' })
    await world.work()
    // The gateway has the access token of Teams for the next message.
    expect(receiver.received.filter(({ path }) => path !== '/token')).toMatchObject(received)
  })
})

test('a workflow with each type of step delivers, at once and after its waits', async () => {
  world.setClock(new Date())
  onTestFinished(() => world.setClock(undefined))
  const at = (path: string) => ({ webhookUrl: `${receiver.url}/${path}`, secretKey: 'secret' })
  await integrate('email-webhook', 'email', at('email'))
  await integrate('generic-sms', 'sms', { baseUrl: `${receiver.url}/sms` })
  await integrate('push-webhook', 'push', at('push'))
  await integrate('chat-webhook', 'chat', { secretKey: 'secret' })
  await integrate('tool-webhook', 'tool', { secretKey: 'secret' })
  const credentials = { deviceTokens: ['phone'] }
  await client.subscribers.credentials.update({ providerId: 'push-webhook', credentials }, 'ada')
  await client.channelEndpoints.create({
    ...of('chat-webhook'),
    type: 'webhook',
    endpoint: { url: at('chat').webhookUrl },
  })
  await client.channelEndpoints.create({
    ...of('tool-webhook'),
    type: 'tool_webhook',
    endpoint: { url: at('tool').webhookUrl },
  })
  await client.workflows.create({
    ...{ workflowId: 'order', name: 'Order', active: true },
    steps: [
      { type: 'in_app', name: 'Bell', controlValues: { body } },
      { type: 'email', name: 'Letter', controlValues: { subject: 'Order', body, editorType: 'html' } },
      step.sms,
      step.chat,
      { type: 'push', name: 'Push', controlValues: { subject: 'Order', body } },
      step.tool,
      { type: 'delay', name: 'Wait', controlValues: { type: 'regular', amount: 1, unit: 'hours' } },
      { type: 'in_app', name: 'Later', controlValues: { body: 'An hour later' } },
      { type: 'digest', name: 'Collect', controlValues: { type: 'regular', amount: 1, unit: 'hours' } },
      { type: 'in_app', name: 'Last', controlValues: { body: '{{ steps.collect.eventCount }} order' } },
    ],
  })
  await client.trigger({ workflowId: 'order', to: 'ada' })
  await world.work()
  expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/chat', '/email', '/push', '/sms', '/tool'])
  expect(await bodiesOf(acme)).toEqual([text])
  for (const expected of [
    [text, 'An hour later'],
    [text, 'An hour later', '1 order'],
  ]) {
    world.setClock(new Date(world.gateway.now().getTime() + 3_600_000))
    await world.work()
    expect(await bodiesOf(acme)).toEqual(expected)
  }
})
