// Apple Push Notification service: provider tokens, messages over HTTP/2, and failures.
import { generateKeyPairSync, verify } from 'node:crypto'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createOutbound } from '../../../src/delivery/network/outbound.ts'
import { apns } from '../../../src/delivery/providers/apns.ts'
import type { FailureCause } from '../../../src/domain/channel/failure-cause.ts'
import { authority, useHttp2Receiver } from '../../support/delivery/http2-receiver.ts'
import { ada, deliver, deliveryId, failureOf } from '../../support/delivery/message.ts'

const apple = useHttp2Receiver()
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

const token = 'a0b1c2d3e4f5a0b1c2d3e4f5a0b1c2d3'
const account = { secretKey: pem, apiKey: 'KEY1234567', projectName: 'TEAM123456', applicationId: 'com.example.shop' }
const message = (more: object = {}) => ({
  ...{ ...ada, channel: 'push' as const, target: { kind: 'device' as const, token } },
  credentials: { ...account, baseUrl: apple.url, ...more },
})
const trusted = { authorities: [authority] }
const attempt = () => deliver('apns', message(), trusted)

const partOf = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString())
const tokensSent = () => apple.received.map(({ headers }) => String(headers.authorization).replace(/^Bearer /, ''))
const issuedAt = () => tokensSent().map((jwt) => new Date(partOf(jwt.split('.')[1]).iat * 1000).toISOString())

const at = (time: string) => vi.useFakeTimers({ toFake: ['Date'], now: new Date(`2026-11-27T${time}Z`) })

afterEach(() => {
  vi.useRealTimers()
})

/** Sends messages at these times through one outbound. */
async function sendAt(...times: readonly string[]): Promise<void> {
  const outbound = createOutbound({ allowPrivateAddresses: true, ...trusted })
  onTestFinished(() => outbound.close())
  for (const time of times) {
    at(time)
    await apns.send({ ...message(), plainText: null }, outbound)
  }
}

describe('a message to Apple', () => {
  test('is a request over HTTP/2, with the payload beside the text', async () => {
    expect(await attempt()).toMatchObject({ status: 200, answer: null })
    expect(apple.received).toMatchObject([
      {
        version: '2.0',
        headers: {
          ...{ ':method': 'POST', ':path': `/3/device/${token}`, 'content-type': 'application/json' },
          ...{ 'apns-id': deliveryId, 'apns-topic': 'com.example.shop', 'apns-push-type': 'alert' },
          'apns-priority': '10',
        },
      },
    ])
    expect(apple.received[0]?.json).toEqual({
      aps: { alert: { title: 'Shipped', body: 'Your order is on its way.' } },
      total: 120,
    })
  })

  test('has what an override adds', async () => {
    const overrides = [
      { aps: { sound: 'chime', badge: 3 }, _passthrough: { headers: { 'apns-collapse-id': 'order' } } },
    ]
    await deliver('apns', { ...message(), overrides }, trusted)
    expect(apple.received[0]).toMatchObject({
      headers: { 'apns-collapse-id': 'order' },
      json: { aps: { alert: { title: 'Shipped' }, sound: 'chime', badge: 3 } },
    })
  })

  test('cannot replace the text by its payload', async () => {
    await deliver('apns', { ...message(), payload: { aps: { alert: 'other' } } }, trusted)
    expect(apple.received[0]?.json).toMatchObject({ aps: { alert: { title: 'Shipped' } } })
  })

  test.each([
    [undefined, 'api.push.apple.com'],
    [true, 'api.push.apple.com'],
    [false, 'api.sandbox.push.apple.com'],
  ])('goes to production or to the sandbox: secure is %s', async (secure, host) => {
    const names = { resolve: () => Promise.resolve([]), knows: () => true }
    const failure = await failureOf(deliver('apns', message({ secure, baseUrl: undefined }), { names }))
    expect(failure.message).toContain(host)
  })

  test('shares a connection with others at the same time', async () => {
    const outbound = createOutbound({ allowPrivateAddresses: true, ...trusted })
    onTestFinished(() => outbound.close())
    await apns.send({ ...message(), plainText: null }, outbound)
    const before = apple.connections
    await Promise.all(Array.from({ length: 20 }, () => apns.send({ ...message(), plainText: null }, outbound)))
    expect(apple.connections).toBe(before)
  })

  test('goes to no private address, literal or named', async () => {
    const names = { resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]), knows: () => true }
    for (const baseUrl of [apple.url, `https://localhost:${apple.port}`]) {
      const given = deliver('apns', message({ baseUrl }), { ...trusted, names, allowPrivateAddresses: false })
      expect(await failureOf(given)).toMatchObject({ permanent: true, failureCause: 'address_blocked' })
    }
    expect(apple.received).toEqual([])
  })

  test('goes to no server whose certificate nobody vouches for', async () => {
    expect(await failureOf(deliver('apns', message()))).toMatchObject({ permanent: false, failureCause: 'unavailable' })
    expect(apple.received).toEqual([])
  })
})

describe('the provider token', () => {
  test('names the key and the team, and is signed with the key', async () => {
    await sendAt('12:10:00')
    const [head, claims, signature = ''] = tokensSent()[0]?.split('.') ?? []
    expect(partOf(head)).toEqual({ alg: 'ES256', kid: 'KEY1234567' })
    expect(partOf(claims)).toEqual({ iss: 'TEAM123456', iat: Date.UTC(2026, 10, 27, 12) / 1000 })
    const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
    const signed = Buffer.from(`${String(head)}.${String(claims)}`)
    expect(verify('sha256', signed, key, Buffer.from(signature, 'base64url'))).toBe(true)
  })

  test('is reused for half an hour, and renewed at the same time by all processes', async () => {
    await sendAt('12:10:00', '12:29:59', '12:30:00', '12:59:59')
    const [first, second, third, fourth] = tokensSent()
    expect([second, fourth]).toEqual([first, third])
    await sendAt('12:45:00')
    expect(issuedAt()).toEqual([
      ...Array<string>(2).fill('2026-11-27T12:00:00.000Z'),
      ...Array<string>(3).fill('2026-11-27T12:30:00.000Z'),
    ])
  })

  test('is renewed once if Apple says that it has expired', async () => {
    apple.answer(403, { reason: 'ExpiredProviderToken' })
    await sendAt('12:25:00', '12:26:00')
    const [, renewed, later] = issuedAt()
    expect(issuedAt()).toEqual(['2026-11-27T12:00:00.000Z', '2026-11-27T12:25:00.000Z', '2026-11-27T12:25:00.000Z'])
    expect(later).toBe(renewed)
  })

  test('is not renewed a second time, nor within 20 minutes', async () => {
    const expired = () => apple.answer(403, { reason: 'ExpiredProviderToken' })
    expired()
    expired()
    await expect(sendAt('12:25:00')).rejects.toMatchObject({ permanent: true, failureCause: 'credentials_rejected' })
    expired()
    await expect(sendAt('12:19:00')).rejects.toMatchObject({ permanent: true, failureCause: 'credentials_rejected' })
    expect(apple.received).toHaveLength(3)
  })
})

describe('Apple answers', () => {
  test.each<[number, string, FailureCause, boolean]>([
    [410, 'Unregistered', 'device_unregistered', true],
    [410, 'ExpiredToken', 'device_unregistered', true],
    [400, 'BadDeviceToken', 'rejected', true],
    [400, 'DeviceTokenNotForTopic', 'rejected', true],
    [413, 'PayloadTooLarge', 'rejected', true],
    [400, 'BadPriority', 'rejected', true],
    [403, 'InvalidProviderToken', 'credentials_rejected', true],
    [403, 'MissingProviderToken', 'credentials_rejected', true],
    [400, 'TopicDisallowed', 'account_restricted', true],
    [400, 'BadTopic', 'account_restricted', true],
    [403, 'Forbidden', 'account_restricted', true],
    [429, 'TooManyRequests', 'unavailable', false],
    [429, 'TooManyProviderTokenUpdates', 'unavailable', false],
  ])('%d %s: the cause is %s', async (status, reason, failureCause, permanent) => {
    apple.answer(status, { reason })
    expect(await failureOf(attempt())).toMatchObject({ status, failureCause, permanent })
    expect(apple.received).toHaveLength(1)
  })

  test.each([500, 503])('%d, and the next attempt waits for 15 minutes', async (status) => {
    apple.answer(status, { reason: 'InternalServerError' })
    expect(await failureOf(attempt())).toMatchObject({ permanent: false, failureCause: 'unavailable', retryAfter: 900 })
  })

  test('never with a secret in the error or the answer', async () => {
    at('12:10:00')
    await attempt()
    const [sent = ''] = tokensSent()
    apple.answer(400, { reason: `no ${token}`, echo: [sent, pem] })
    const failure = await failureOf(attempt())
    for (const secret of [token, pem]) expect(`${failure.message} ${String(failure.answer)}`).not.toContain(secret)
  })

  test.each(['not a key', generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey])(
    'nothing, because the signing key is none',
    async (key) => {
      const secretKey = typeof key === 'string' ? key : key.export({ type: 'pkcs8', format: 'pem' }).toString()
      const failure = await failureOf(deliver('apns', message({ secretKey }), trusted))
      expect(failure).toMatchObject({ permanent: true, failureCause: 'credentials_invalid' })
      expect(failure.message).toContain('secretKey must be a P-256 key in PEM form')
    },
  )
})
