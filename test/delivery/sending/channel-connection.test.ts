// Messages to endpoints that name a channel connection: they are sent with its token, which is read at each attempt.
import { beforeEach, describe, expect, test } from 'vitest'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { adasRun, createWorkflow, done, trigger } from '../../support/delivery/story.ts'
import { type Client, useWorld } from '../../support/world.ts'

const receiver = useReceiver()
const world = useWorld({ allowPrivateAddresses: true })
let acme: Client

const services = {
  slack: {
    providerId: 'SLACK',
    endpoint: { workspaceChatChannel: { channelId: 'C1' } },
    accepted: { ok: true },
    path: '/api/chat.postMessage',
  },
  webex: {
    providerId: 'WEBEX_MESSAGING',
    endpoint: { meetingRoom: { roomId: 'R1' } },
    accepted: { id: 'M1' },
    path: '/v1/messages',
  },
} as const
type Service = keyof typeof services

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada' })
  await createWorkflow(acme, [{ chat: { body: 'Hello' } }])
})

const connect = (service: Service, accessToken: string, more: object = {}) =>
  done(acme, 'createChannelConnection', {
    ...{ identifier: 'acme', integrationIdentifier: service, workspace: { externalId: 'T1' }, auth: { accessToken } },
    ...more,
  })

async function integrate(service: Service, credentials: object = {}, connectionIdentifier: string | null = 'acme') {
  const { providerId, endpoint, accepted } = services[service]
  receiver.answer(200, accepted)
  await done(acme, 'createIntegration', {
    ...{ identifier: service, providerId, credentials: { baseUrl: receiver.url, ...credentials } },
  })
  await done(acme, 'createChannelEndpoint', {
    ...{ identifier: 'desk', subscriberId: 'ada', integrationIdentifier: service, connectionIdentifier, endpoint },
  })
}

const tokens = () => receiver.received.map(({ headers }) => headers.authorization)

async function send() {
  const transactionId = await trigger(acme)
  await world.work()
  const { steps } = await adasRun(acme, transactionId)
  return steps[0].deliveries[0]
}

describe.each(['slack', 'webex'] as const)('an endpoint of %s', (service) => {
  test('that names a connection is delivered with its token, before that of the integration', async () => {
    await integrate(service, { botToken: 'of-the-integration' })
    await connect(service, 'of-the-connection')
    expect(await send()).toMatchObject({ status: 'SENT' })
    expect(receiver.last.path).toBe(services[service].path)
    expect(tokens()).toEqual(['Bearer of-the-connection'])
  })

  test('that names none is delivered with the token of the integration', async () => {
    await integrate(service, { botToken: 'of-the-integration' }, null)
    expect(await send()).toMatchObject({ status: 'SENT' })
    expect(tokens()).toEqual(['Bearer of-the-integration'])
  })

  test('that names none fails without a token, and says so', async () => {
    await integrate(service, {}, null)
    const { status, cause, attempts } = await send()
    expect({ status, cause }).toEqual({ status: 'FAILED', cause: 'CREDENTIALS_INVALID' })
    expect(attempts[0].error).toContain('botToken is required')
  })

  test('that names a missing connection fails, and the attempt names it', async () => {
    await integrate(service, { botToken: 'of-the-integration' })
    const { status, cause, attempts } = await send()
    expect({ status, cause }).toEqual({ status: 'FAILED', cause: 'CONNECTION_UNUSABLE' })
    expect(attempts.map(({ error }) => error)).toEqual(['The channel connection "acme" does not exist.'])
    expect(receiver.received).toEqual([])
  })
})

test('a message that was created before its connection changed is sent with the new token', async () => {
  await integrate('slack')
  await connect('slack', 'old')
  receiver.answer(200, { ok: false, error: 'ratelimited' })
  expect(await send()).toMatchObject({ status: 'PENDING' })
  await done(acme, 'updateChannelConnection', { identifier: 'acme', auth: { accessToken: 'new' } })
  receiver.answer(200, { ok: true })
  await world.work({ early: true })
  expect(tokens()).toEqual(['Bearer old', 'Bearer new'])
})

test('a message whose connection was deleted meanwhile is not sent again', async () => {
  await integrate('slack')
  await connect('slack', 'old')
  receiver.answer(200, { ok: false, error: 'ratelimited' })
  await send()
  await done(acme, 'deleteChannelConnection', { identifier: 'acme' })
  await world.work({ early: true })
  expect(tokens()).toEqual(['Bearer old'])
})

test('the token of one integration is never sent to another service', async () => {
  await integrate('slack')
  await done(acme, 'createIntegration', { identifier: 'webex', providerId: 'WEBEX_MESSAGING' })
  await connect('webex', 'of-webex')
  expect((await send()).attempts[0].error).toBe('The channel connection "acme" belongs to the integration "webex".')
  expect(receiver.received).toEqual([])
})

test('endpoints of the same channel id in two workspaces both receive the message', async () => {
  await integrate('slack')
  await connect('slack', 'first')
  await connect('slack', 'second', { identifier: 'globex' })
  await done(acme, 'createChannelEndpoint', {
    ...{ subscriberId: 'ada', integrationIdentifier: 'slack', connectionIdentifier: 'globex' },
    endpoint: services.slack.endpoint,
  })
  await send()
  expect(tokens().toSorted()).toEqual(['Bearer first', 'Bearer second'])
})

test.each([
  ['token_revoked', 'CREDENTIALS_REJECTED'],
  ['account_inactive', 'CREDENTIALS_REJECTED'],
  ['invalid_auth', 'CREDENTIALS_REJECTED'],
  ['channel_not_found', 'REJECTED'],
  ['not_in_channel', 'REJECTED'],
])('the error %s is final and shown, and the answer does not show the token', async (error, cause) => {
  await integrate('slack')
  await connect('slack', 'xoxb-SECRET-MARK')
  receiver.answer(200, { ok: false, error, token: 'xoxb-SECRET-MARK' })
  const delivery = await send()
  expect(delivery).toMatchObject({ status: 'FAILED', cause })
  expect(delivery.attempts).toHaveLength(1)
  expect(delivery.attempts[0].error).toContain(error)
  expect(JSON.stringify(delivery)).not.toContain('SECRET-MARK')
})

test('a preview says that a connection is missing, and shows no token', async () => {
  await integrate('slack')
  const preview = async () => {
    const { previewTrigger } = await acme.ask(
      `{ previewTrigger(input: { workflowIdentifier: "order", to: [{ subscriber: { subscriberId: "ada" } }] }) {
        runs { steps { status detail cause } } } }`,
    )
    return previewTrigger.runs[0].steps[0]
  }
  expect(await preview()).toMatchObject({
    ...{ status: 'FAILED', cause: 'CONNECTION_UNUSABLE' },
    detail: 'The channel connection "acme" does not exist.',
  })
  await connect('slack', 'xoxb-SECRET-MARK')
  const found = await preview()
  expect(found).toMatchObject({ status: 'SENT' })
  expect(JSON.stringify(found)).not.toContain('SECRET-MARK')
})
