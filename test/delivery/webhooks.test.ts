// The generic webhooks: what a receiver gets, and what its answers mean. That goes for every provider over HTTP.
import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ProviderId } from '../../src/domain/provider-id.ts'
import type { ResolvedTarget } from '../../src/engine/message.ts'
import { ada, deliver, deliveryId, failureOf, toDevice, toEmail, toEndpoint, toPhone } from './message.ts'
import { useReceiver } from './receiver.ts'

const receiver = useReceiver()

/** What every receiver gets, but for whom it is. */
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

describe('a webhook of an integration', () => {
  test.each<[ProviderId, ResolvedTarget, string]>([
    ['email-webhook', toEmail, 'ada@example.com'],
    ['generic-sms', toPhone, '+4915123456789'],
    ['generic-sms', toEndpoint({ type: 'phone', phoneNumber: '+4930123456' }), '+4930123456'],
    ['push-webhook', toDevice, 'ExponentPushToken[0123456789]'],
  ])('gets by %s the whole message, and to whom it goes', async (provider, target, to) => {
    const credentials = { webhookUrl: `${receiver.url}/in?key=1` }
    expect(await deliver(provider, { target, credentials })).toEqual({ status: 200, answer: '{}' })
    expect(receiver.last).toMatchObject({ method: 'POST', path: '/in?key=1' })
    expect(receiver.last.headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': deliveryId })
    expect(receiver.last.json).toEqual({ ...body, to })
  })

  test('may be given as baseUrl, with a sender, a method and keys in headers of its own', async () => {
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

  test('can tell that a message is ours, by a signature over its bytes', async () => {
    const credentials = { webhookUrl: receiver.url, hmacSecretKey: 'signing-key' }
    await deliver('push-webhook', { target: toDevice, credentials })
    const signature = createHmac('sha256', 'signing-key').update(receiver.last.body).digest('hex')
    expect(receiver.last.headers['x-signature-256']).toBe(`sha256=${signature}`)
  })

  test.each([
    [{ apiKeyRequestHeader: 'X-Key', apiKey: 'SECRET\nX-Evil: 1' }, '"X-Key"'],
    [{ apiKeyRequestHeader: 'X Key', apiKey: 'SECRET' }, '"X Key"'],
  ])('is not sent headers that are none: %j', async (keys, name) => {
    const credentials = { webhookUrl: receiver.url, ...keys }
    const failure = await failureOf(deliver('email-webhook', { target: toEmail, credentials }))
    expect(failure).toMatchObject({ permanent: true, message: `The header ${name} cannot be sent` })
    expect(receiver.received).toEqual([])
  })

  test('must be there', async () => {
    const failure = await failureOf(deliver('email-webhook', { target: toEmail, credentials: {} }))
    expect(failure).toMatchObject({
      permanent: true,
      message: "The integration's credentials are invalid: webhookUrl is required",
    })
  })
})

describe('a webhook of a subscriber', () => {
  test('is called by chat-webhook, be it a credential or an endpoint', async () => {
    const url = `${receiver.url}/ada`
    await deliver('chat-webhook', { target: { kind: 'webhook', url } })
    await deliver('chat-webhook', { target: toEndpoint({ type: 'webhook', url, channel: 'general' }) })
    expect(receiver.received.map(({ path, json }) => ({ path, json }))).toEqual([
      { path: '/ada', json: body },
      { path: '/ada', json: { ...body, to: 'general' } },
    ])
  })

  test('of a tool has its own method and headers, but for those that every message has', async () => {
    const url = `${receiver.url}/tool`
    const headers = {
      Authorization: 'Bearer tool-token',
      'Content-Type': 'application/x-alert+json',
      'Idempotency-Key': '1',
    }
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
    [{ method: 'PUT' }, 'PUT'],
    [{}, 'POST'],
  ])('of a tool takes the method of its integration: %j', async (credentials, method) => {
    const target = toEndpoint({ type: 'tool_webhook', url: receiver.url, headers: undefined, method: undefined })
    await deliver('tool-webhook', { target, credentials })
    expect(receiver.last.method).toBe(method)
  })

  test('is none where an endpoint is of a provider that is another', async () => {
    const target = toEndpoint({ type: 'messenger_chat', chatId: '42' })
    const failure = await failureOf(deliver('chat-webhook', { target, credentials: { webhookUrl: receiver.url } }))
    expect(failure.permanent).toBe(true)
    expect(receiver.received).toEqual([])
  })
})

describe('an answer', () => {
  const target = (): ResolvedTarget => ({ kind: 'webhook', url: `${receiver.url}/hooks/T0SECRET` })
  const attempt = (patience = {}) => failureOf(deliver('chat-webhook', { target: target() }, patience))

  test.each([200, 201, 202, 204])('of %d is a success', async (status) => {
    receiver.answer(status)
    expect(await deliver('chat-webhook', { target: target() })).toMatchObject({ status })
  })

  test.each([400, 401, 403, 404, 405, 409, 410, 413, 422])('of %d is final', async (status) => {
    receiver.answer(status, 'no')
    expect(await attempt()).toMatchObject({
      permanent: true,
      status,
      answer: 'no',
      retryAfter: null,
      message: `127.0.0.1:${receiver.port} responded with ${status}`,
    })
  })

  test.each([408, 425, 429, 500, 502, 503, 504])('of %d is not, and may ask for a pause', async (status) => {
    receiver.answer(status, '', { 'retry-after': '30' })
    expect(await attempt()).toMatchObject({ permanent: false, status, answer: null, retryAfter: 30 })
  })

  test.each([301, 302, 303, 307, 308])('of %d is not followed, and says so', async (status) => {
    receiver.answer(status, '', { location: `${receiver.url}/elsewhere` })
    expect(await attempt()).toMatchObject({
      permanent: true,
      status,
      message: `127.0.0.1:${receiver.port} responded with ${status}: redirects are not followed`,
    })
    expect(receiver.received).toHaveLength(1)
  })

  test('that does not come may come the next time', async () => {
    receiver.respond(() => {})
    expect(await attempt({ timeout: 50 })).toMatchObject({ permanent: false, status: null, answer: null })
  })

  test('is kept in short', async () => {
    receiver.answer(200, 'x'.repeat(100_000))
    const { answer } = await deliver('chat-webhook', { target: target() })
    expect(answer).toBe('x'.repeat(1000))
  })

  test('is kept without what a database cannot hold', async () => {
    receiver.answer(200, `${'x'.repeat(990)}\0\u001b\n12345678😀`)
    const { answer } = await deliver('chat-webhook', { target: target() })
    expect(answer).toBe(`${'x'.repeat(990)}  \n1234567`)
    receiver.answer(200, `${'x'.repeat(999)}😀`)
    expect((await deliver('chat-webhook', { target: target() })).answer).toBe(`${'x'.repeat(999)}\ufffd`)
  })

  test('that gives back what it was sent is kept without its secrets', async () => {
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

test('a private address is not called, and an operator learns how to allow it', async () => {
  const target: ResolvedTarget = { kind: 'webhook', url: `${receiver.url}/hooks/T0SECRET` }
  const failure = await failureOf(deliver('chat-webhook', { target }, { allowPrivateAddresses: false }))
  expect(failure).toMatchObject({
    permanent: true,
    message: '127.0.0.1 is a private address, which is blocked: set ALLOW_PRIVATE_ADDRESSES=on to allow it',
  })
  expect(receiver.received).toEqual([])
})
