// Microsoft Teams by a bot: its access token, messages to channels and users, and failures.
import { describe, expect, test } from 'vitest'
import { createOutbound } from '../../../src/delivery/network/outbound.ts'
import { msteams } from '../../../src/delivery/providers/msteams.ts'
import type { Endpoint } from '../../../src/domain/channel/endpoint-type.ts'
import { ada, deliver, deliveryId, failureOf, toEndpoint } from '../../support/delivery/message.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'

const microsoft = useReceiver()

const channel = { type: 'office_chat_channel', teamId: 'team-1', channelId: '19:c@thread.tacv2' } as const
const user = { type: 'office_chat_user', userId: '29:ada' } as const

const bot = () => ({
  clientId: 'app-1',
  secretKey: 'bot-secret',
  tenantId: 'tenant-1',
  loginUrl: `${microsoft.url}/token`,
  baseUrl: `${microsoft.url}/teams/`,
})

const message = (endpoint: Endpoint, credentials: object = bot()) => ({
  ...ada,
  channel: 'chat' as const,
  target: toEndpoint(endpoint),
  credentials: { ...credentials },
})

/** Issues tokens, and answers requests for conversations and messages as the service does. */
const serve = (conversation: object = { id: 'a:1' }) =>
  microsoft.respond((response, { url }) => {
    const token = { token_type: 'Bearer', access_token: 'eyJ.TOKEN', expires_in: 3599 }
    if (url === '/token') response.end(JSON.stringify(token))
    else response.writeHead(201).end(JSON.stringify(url?.endsWith('/activities') ? { id: '2' } : conversation))
  })

const text = 'Shipped\nYour order is on its way.'
const activity = { type: 'message', text }
const headers = { authorization: 'Bearer eyJ.TOKEN', 'idempotency-key': deliveryId }

describe('a message to Teams', () => {
  test('goes to a channel as a new thread, with a token for the credentials of the bot', async () => {
    serve({ id: '19:c@thread.tacv2;messageid=1', activityId: '1' })
    expect(await deliver('msteams', message(channel))).toMatchObject({ status: 201 })
    const [asked, sent, ...more] = microsoft.received
    expect(Object.fromEntries(new URLSearchParams(asked?.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'app-1',
      client_secret: 'bot-secret',
      scope: 'https://api.botframework.com/.default',
    })
    expect(sent).toMatchObject({ method: 'POST', path: '/teams/v3/conversations', headers })
    expect(sent?.json).toEqual({
      isGroup: true,
      channelData: { channel: { id: '19:c@thread.tacv2' } },
      tenantId: 'tenant-1',
      activity,
    })
    expect(more).toEqual([])
  })

  test('goes to a user in the conversation with the bot, which is created if there is none', async () => {
    serve({ id: 'a:1/2' })
    expect(await deliver('msteams', message(user))).toMatchObject({ status: 201, answer: '{"id":"2"}' })
    const [, created, sent, ...more] = microsoft.received
    expect(created).toMatchObject({ path: '/teams/v3/conversations', headers })
    expect(created?.json).toEqual({ isGroup: false, members: [{ id: '29:ada' }], tenantId: 'tenant-1' })
    expect(sent).toMatchObject({ path: '/teams/v3/conversations/a%3A1%2F2/activities', headers, json: activity })
    expect(more).toEqual([])
  })

  test('reuses the token of the same bot', async () => {
    serve()
    const outbound = createOutbound({ allowPrivateAddresses: true })
    const send = (credentials: object) => msteams.send({ ...message(channel, credentials), plainText: null }, outbound)
    for (const clientId of ['app-1', 'app-1', 'app-2']) await send({ ...bot(), clientId })
    expect(microsoft.received.map(({ path }) => path.split('/').at(-1))).toEqual([
      ...['token', 'conversations', 'conversations'],
      ...['token', 'conversations'],
    ])
    await outbound.close()
  })
})

describe('a message to Teams fails', () => {
  test('permanently without the settings of a bot, which the error names', async () => {
    const failure = await failureOf(deliver('msteams', message(user, { clientId: 'app-1' })))
    expect(failure).toMatchObject({ permanent: true, failureCause: 'credentials_invalid' })
    expect(failure.message).toMatch(/secretKey is required; tenantId is required$/)
    expect(microsoft.received).toEqual([])
  })

  test.each([400, 401])(
    'because of its credentials if %d is the answer to the request for a token, without the secret',
    async (status) => {
      microsoft.answer(status, { error: 'invalid_client', error_description: 'not bot-secret' })
      expect(await failureOf(deliver('msteams', message(channel)))).toMatchObject({
        ...{ permanent: true, status, failureCause: 'credentials_rejected' },
        answer: '{"error":"invalid_client","error_description":"not ***"}',
      })
    },
  )

  test.each([
    [403, true],
    [404, true],
    [412, false],
    [429, false],
    [502, false],
  ])('with status %d: permanently is %s', async (status, permanent) => {
    microsoft.respond((response, { url }) => {
      if (url === '/token') response.end(JSON.stringify({ access_token: 'eyJ.TOKEN', expires_in: 3599 }))
      else response.writeHead(status).end(JSON.stringify({ error: { code: 'Other', message: 'eyJ.TOKEN' } }))
    })
    expect(await failureOf(deliver('msteams', message(user)))).toMatchObject({
      ...{ permanent, status },
      answer: '{"error":{"code":"Other","message":"***"}}',
    })
  })

  test('without being sent if the request for the conversation is not answered, but perhaps if its own is not', async () => {
    const unanswered = (last: string) =>
      microsoft.respond((response, { url }) => {
        if (url?.endsWith(last)) return
        response.end(JSON.stringify(url === '/token' ? { access_token: 'eyJ.TOKEN', expires_in: 3599 } : { id: 'a:1' }))
      })
    const attempt = () => failureOf(deliver('msteams', message(user), { timeout: 100 }))
    unanswered('/conversations')
    expect(await attempt()).toMatchObject({ permanent: false, failureCause: 'unavailable' })
    unanswered('/activities')
    expect(await attempt()).toMatchObject({ permanent: false, failureCause: 'unconfirmed' })
  })

  test('temporarily if there is no conversation in the answer', async () => {
    serve({})
    expect(await failureOf(deliver('msteams', message(user)))).toMatchObject({ permanent: false, status: 201 })
    expect(microsoft.received).toHaveLength(2)
  })
})
