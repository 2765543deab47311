// What the answers of providers say about a message, where the HTTP status is not enough.
import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { FailureCause } from '../../../src/domain/channel/failure-cause.ts'
import type { ProviderId } from '../../../src/domain/channel/provider-id.ts'
import type { Message } from '../../../src/engine/message.ts'
import { deliver, failureOf, toDevice, toEmail, toEndpoint, toPhone } from '../../support/delivery/message.ts'
import { listening, useReceiver } from '../../support/delivery/receiver.ts'

const receiver = useReceiver()

const from = { from: 'shop@example.com' }
const messages: Readonly<Partial<Record<ProviderId, Partial<Message>>>> = {
  expo: { target: toDevice },
  nexmo: { target: toPhone, credentials: { apiKey: 'key', secretKey: 'vonage-secret', from: 'Shop' } },
  postmark: { target: toEmail, credentials: { ...from, apiKey: 'pm-token' } },
  resend: { target: toEmail, credentials: { ...from, apiKey: 're_key' } },
  slack: {
    target: toEndpoint({ type: 'workspace_chat_channel', channelId: 'C1' }),
    credentials: { botToken: 'xoxb-token' },
  },
  twilio: { target: toPhone, credentials: { accountSid: 'AC1', token: 'tw-token', from: '+15550001' } },
}

const attempt = (provider: ProviderId) => {
  const message = messages[provider]
  const credentials = { ...message?.credentials, baseUrl: receiver.url }
  return failureOf(deliver(provider, { ...message, credentials }))
}

const ticket = (error: string) => ({ data: { status: 'error', message: 'No', details: { error } } })
const part = (status: string) => ({ messages: [{ status, 'error-text': 'No' }] })

describe('a provider says by the body of its answer', () => {
  test.each<[ProviderId, number, object, FailureCause, boolean]>([
    ['expo', 200, ticket('DeviceNotRegistered'), 'device_unregistered', true],
    ['expo', 200, ticket('MessageTooBig'), 'rejected', true],
    ['expo', 200, ticket('InvalidCredentials'), 'account_restricted', true],
    ['expo', 200, ticket('MessageRateExceeded'), 'unavailable', false],
    ['nexmo', 200, part('4'), 'credentials_rejected', true],
    ['nexmo', 200, part('9'), 'account_restricted', true],
    ['nexmo', 200, part('7'), 'rejected', true],
    ['nexmo', 200, part('1'), 'unavailable', false],
    ['postmark', 422, { ErrorCode: 406, Message: 'Inactive recipient' }, 'suppressed', true],
    ['postmark', 422, { ErrorCode: 405, Message: 'Not allowed to send' }, 'account_restricted', true],
    ['resend', 409, { name: 'concurrent_idempotent_requests' }, 'unavailable', false],
    ['resend', 409, { name: 'invalid_idempotent_request' }, 'rejected', true],
    ['resend', 403, { name: 'invalid_api_key' }, 'credentials_rejected', true],
    ['resend', 403, { name: 'validation_error' }, 'account_restricted', true],
    ['resend', 429, { name: 'daily_quota_exceeded' }, 'account_restricted', false],
    ['slack', 200, { ok: false, error: 'token_revoked' }, 'credentials_rejected', true],
    ['slack', 200, { ok: false, error: 'channel_not_found' }, 'rejected', true],
    ['slack', 503, { ok: false, error: 'channel_not_found' }, 'unavailable', false],
    ['twilio', 429, { code: 21610 }, 'unavailable', false],
    ['slack', 200, { ok: false, error: 'ratelimited' }, 'unavailable', false],
    ['twilio', 400, { code: 21608 }, 'account_restricted', true],
    ['twilio', 400, { code: 21610 }, 'suppressed', true],
  ])('%s, %d %j: the cause is %s', async (provider, status, answer, failureCause, permanent) => {
    receiver.answer(status, answer)
    expect(await attempt(provider)).toMatchObject({ status, failureCause, permanent })
  })

  test('that its pause is to be kept, whatever the class is', async () => {
    receiver.answer(429, { name: 'daily_quota_exceeded' }, { 'retry-after': '60' })
    expect(await attempt('resend')).toMatchObject({ permanent: false, retryAfter: 60 })
  })
})

describe('without such a body', () => {
  test.each<[number, FailureCause, boolean]>([
    [401, 'credentials_rejected', true],
    [404, 'rejected', true],
    [429, 'unavailable', false],
    [503, 'unavailable', false],
  ])('the status %d decides: the cause is %s', async (status, failureCause, permanent) => {
    for (const body of ['<html>', [], { error: 17 }, `{"data":"${'x'.repeat(70_000)}"}`]) {
      receiver.answer(status, body)
      expect(await attempt('expo')).toMatchObject({ status, failureCause, permanent })
    }
  })

  test('a token in the text of the provider is masked', async () => {
    const message = '"ExponentPushToken[0123456789]" is not a registered push notification recipient'
    receiver.answer(200, { data: { status: 'error', message } })
    expect((await attempt('expo')).message).toBe(
      `127.0.0.1:${receiver.port} rejected the message: "***" is not a registered push notification recipient`,
    )
  })
})

describe('without an answer', () => {
  /** A server that does `act` with each connection. */
  async function serverThat(act: Parameters<typeof createServer>[1]): Promise<string> {
    const server = createServer(act)
    onTestFinished(() => void server.close())
    return `http://127.0.0.1:${await listening(server)}`
  }
  const attemptAt = (baseUrl: string) =>
    failureOf(deliver('expo', { target: toDevice, credentials: { baseUrl } }, { timeout: 100 }))

  test('a provider that has the request may have accepted the message', async () => {
    receiver.respond(() => {})
    expect(await attemptAt(receiver.url)).toMatchObject({ permanent: false, failureCause: 'unconfirmed' })
    const hangsUp = await serverThat((socket) => socket.once('data', () => socket.destroy()))
    expect(await attemptAt(hangsUp)).toMatchObject({ permanent: false, failureCause: 'unconfirmed' })
  })

  test('a provider that never had the request has not', async () => {
    expect(await attemptAt('http://127.0.0.1:1')).toMatchObject({ permanent: false, failureCause: 'unavailable' })
    // TLS never begins, so nothing is sent.
    const silent = await serverThat((socket) => {
      onTestFinished(() => {
        socket.destroy()
      })
    })
    const failure = await attemptAt(silent.replace('http:', 'https:'))
    expect(failure).toMatchObject({ permanent: false, failureCause: 'unavailable' })
  })
})
