// Generic webhooks: the request that a receiver gets, and the meaning of its responses, which is the same for every
// HTTP provider.
import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ProviderId } from '../../../src/domain/channel/provider-id.ts'
import type { ResolvedTarget } from '../../../src/domain/channel/provider-directory.ts'
import {
  ada,
  deliver,
  deliveryId,
  failureOf,
  toDevice,
  toEmail,
  toEndpoint,
  toPhone,
} from '../../support/delivery/message.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'

const receiver = useReceiver()

/** The body that every receiver gets, except for `to`. */
const body = {
  id: deliveryId,
  transactionId: 'order-1',
  channel: 'tool',
  to: null,
  subject: 'Shipped',
  content: 'Your order is on its way.',
  workflow: ada.workflow,
  subscriber: ada.subscriber,
  contextKeys: ['tenant:acme'],
  payload: { total: 120 },
}

describe('an integration webhook', () => {
  test.each<[ProviderId, ResolvedTarget, string]>([
    ['email-webhook', toEmail, 'ada@example.com'],
    ['generic-sms', toPhone, '+4915123456789'],
    ['generic-sms', toEndpoint({ type: 'phone', phoneNumber: '+4930123456' }), '+4930123456'],
    ['push-webhook', toDevice, 'ExponentPushToken[0123456789]'],
  ])('receives the whole message and its destination from %s', async (provider, target, to) => {
    const credentials = { webhookUrl: `${receiver.url}/in?key=1` }
    expect(await deliver(provider, { target, credentials })).toEqual({ status: 200, answer: '{}' })
    expect(receiver.last).toMatchObject({ method: 'POST', path: '/in?key=1' })
    expect(receiver.last.headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': deliveryId })
    expect(receiver.last.json).toEqual({ ...body, channel: target.kind === 'email' ? 'email' : 'tool', to })
  })

  test('can be set as baseUrl, with a sender, a method and its own key headers', async () => {
    const credentials = {
      baseUrl: receiver.url,
      from: 'Shop',
      method: 'PUT',
      apiKeyRequestHeader: 'X-Key',
      apiKey: 'api-key',
      secretKeyRequestHeader: 'X-Secret',
      secretKey: 'secret-key',
    }
    await deliver('generic-sms', { target: toPhone, credentials })
    expect(receiver.last.method).toBe('PUT')
    expect(receiver.last.headers).toMatchObject({ 'x-key': 'api-key', 'x-secret': 'secret-key' })
    expect(receiver.last.json).toEqual({ ...body, to: '+4915123456789', from: 'Shop' })
  })

  test('receives an HMAC signature of the raw body', async () => {
    const credentials = { webhookUrl: receiver.url, hmacSecretKey: 'signing-key' }
    await deliver('push-webhook', { target: toDevice, credentials })
    const signature = createHmac('sha256', 'signing-key').update(receiver.last.body).digest('hex')
    expect(receiver.last.headers['x-signature-256']).toBe(`sha256=${signature}`)
  })

  test.each([
    [{ apiKeyRequestHeader: 'X-Key', apiKey: 'SECRET\nX-Evil: 1' }, '"X-Key"'],
    [{ apiKeyRequestHeader: 'X Key', apiKey: 'SECRET' }, '"X Key"'],
    [{ apiKeyRequestHeader: 'Host', apiKey: 'SECRET' }, '"Host"'],
    [{ secretKeyRequestHeader: 'x-signature-256', secretKey: 'SECRET' }, '"x-signature-256"'],
  ])('is not called with invalid headers: %j', async (keys, name) => {
    const credentials = { webhookUrl: receiver.url, ...keys }
    const failure = await failureOf(deliver('email-webhook', { target: toEmail, credentials }))
    expect(failure).toMatchObject({
      permanent: true,
      message: expect.stringMatching(`^The header ${name} cannot be sent`),
    })
    expect(failure.message).not.toContain('SECRET')
    expect(receiver.received).toEqual([])
  })

  test('needs a URL', async () => {
    const failure = await failureOf(deliver('email-webhook', { target: toEmail, credentials: {} }))
    expect(failure).toMatchObject({
      permanent: true,
      message: "The integration's credentials are invalid: webhookUrl is required",
    })
  })
})

describe('a subscriber webhook', () => {
  test('is called by chat-webhook, whether it is a credential or an endpoint', async () => {
    const url = `${receiver.url}/ada`
    await deliver('chat-webhook', { target: { kind: 'webhook', url } })
    await deliver('chat-webhook', { target: toEndpoint({ type: 'webhook', url, channel: 'general' }) })
    expect(receiver.received.map(({ path, json }) => ({ path, json }))).toEqual([
      { path: '/ada', json: body },
      { path: '/ada', json: { ...body, to: 'general' } },
    ])
  })

  test('of a tool uses its own method and headers', async () => {
    const url = `${receiver.url}/tool`
    const headers = { Authorization: 'Bearer tool-token', 'Content-Type': 'application/x-alert+json' }
    const target = toEndpoint({ type: 'tool_webhook', url, headers, method: 'PATCH' })
    await deliver('tool-webhook', { target, credentials: { method: 'PUT' } })
    expect(receiver.last).toMatchObject({ method: 'PATCH', path: '/tool', json: body })
    expect(receiver.last.headers).toMatchObject({
      authorization: 'Bearer tool-token',
      'content-type': 'application/x-alert+json',
      'idempotency-key': deliveryId,
    })
  })

  test.each([
    'Host',
    'content-length',
    'Transfer-Encoding',
    'Proxy-Authorization',
    'Idempotency-Key',
    'X-Signature-256',
  ])('of a tool that was stored with the header %s is not called', async (name) => {
    const endpoint = { url: receiver.url, headers: { [name]: 'SECRET' }, method: undefined }
    const failure = await failureOf(
      deliver('tool-webhook', { target: toEndpoint({ type: 'tool_webhook', ...endpoint }) }),
    )
    expect(failure).toMatchObject({
      permanent: true,
      message: `The header "${name}" cannot be sent: the gateway sets it itself`,
    })
    expect(receiver.received).toEqual([])
  })

  test.each([
    [{ method: 'PUT' }, 'PUT'],
    [{}, 'POST'],
  ])('of a tool without a method uses the one of its integration, or POST: %j', async (credentials, method) => {
    const target = toEndpoint({ type: 'tool_webhook', url: receiver.url, headers: undefined, method: undefined })
    await deliver('tool-webhook', { target, credentials })
    expect(receiver.last.method).toBe(method)
  })

  test('is not called for an endpoint of another type', async () => {
    const target = toEndpoint({ type: 'messenger_chat', chatId: '42' })
    const failure = await failureOf(deliver('chat-webhook', { target, credentials: { webhookUrl: receiver.url } }))
    expect(failure.permanent).toBe(true)
    expect(receiver.received).toEqual([])
  })
})

describe('a response', () => {
  const target = (): ResolvedTarget => ({ kind: 'webhook', url: `${receiver.url}/hooks/T0SECRET` })
  const attempt = (patience = {}) => failureOf(deliver('chat-webhook', { target: target() }, patience))

  test.each([200, 201, 202, 204])('with status %d is a success', async (status) => {
    receiver.answer(status)
    expect(await deliver('chat-webhook', { target: target() })).toMatchObject({ status })
  })

  test.each([400, 401, 403, 404, 405, 409, 410, 413, 422])('with status %d is a permanent failure', async (status) => {
    receiver.answer(status, 'no')
    expect(await attempt()).toMatchObject({
      permanent: true,
      status,
      answer: 'no',
      retryAfter: null,
      message: `127.0.0.1:${receiver.port} responded with ${status}`,
    })
  })

  test.each([408, 425, 429, 500, 502, 503, 504])(
    'with status %d is a temporary failure, and can ask for a pause',
    async (status) => {
      receiver.answer(status, '', { 'retry-after': '30' })
      expect(await attempt()).toMatchObject({ permanent: false, status, answer: null, retryAfter: 30 })
    },
  )

  test.each([301, 302, 303, 307, 308])(
    'with status %d is a permanent failure, because redirects are not followed',
    async (status) => {
      receiver.answer(status, '', { location: `${receiver.url}/elsewhere` })
      expect(await attempt()).toMatchObject({
        permanent: true,
        status,
        message: `127.0.0.1:${receiver.port} responded with ${status}: redirects are not followed`,
      })
      expect(receiver.received).toHaveLength(1)
    },
  )

  test('that times out is a temporary failure', async () => {
    receiver.respond(() => {})
    expect(await attempt({ timeout: 50 })).toMatchObject({ permanent: false, status: null, answer: null })
  })

  test('is stored up to 1000 characters', async () => {
    receiver.answer(200, 'x'.repeat(100_000))
    const { answer } = await deliver('chat-webhook', { target: target() })
    expect(answer).toBe('x'.repeat(1000))
  })

  test('is stored without control characters and split surrogate pairs', async () => {
    receiver.answer(200, `${'x'.repeat(990)}\0\u001b\n12345678😀`)
    const { answer } = await deliver('chat-webhook', { target: target() })
    expect(answer).toBe(`${'x'.repeat(990)}  \n1234567`)
    receiver.answer(200, `${'x'.repeat(999)}😀`)
    expect((await deliver('chat-webhook', { target: target() })).answer).toBe(`${'x'.repeat(999)}\ufffd`)
  })

  test('that echoes the request is stored without its secrets', async () => {
    const url = `${receiver.url}/hooks/T0SECRET?token=QUERYSECRET`
    const headers = { Authorization: 'Bearer "TOOLSECRET"' }
    const endpoint = toEndpoint({ type: 'tool_webhook', url, headers, method: undefined })
    receiver.respond((response, { headers: given, url: path }) => {
      response.end(
        JSON.stringify({
          said: 'hello',
          path,
          given,
          args: { token: 'QUERYSECRET' },
          hook: 'T0SECRET',
          bare: '"TOOLSECRET"',
          url,
        }),
      )
    })
    const credentials = { hmacSecretKey: 'HMACSECRET', apiKeyRequestHeader: 'X-Key', apiKey: 'APISECRET' }
    const { answer } = await deliver('tool-webhook', { target: endpoint, credentials })
    expect(answer).toContain('"said":"hello"')
    expect(answer).not.toContain('SECRET')
  })
})

test('a private address is not called, and the error names the setting that allows it', async () => {
  const target: ResolvedTarget = { kind: 'webhook', url: `${receiver.url}/hooks/T0SECRET` }
  const failure = await failureOf(deliver('chat-webhook', { target }, { allowPrivateAddresses: false }))
  expect(failure).toMatchObject({
    permanent: true,
    message: '127.0.0.1 is a private address, which is blocked: set ALLOW_PRIVATE_ADDRESSES=on to allow it',
  })
  expect(receiver.received).toEqual([])
})
