// Firebase Cloud Messaging: access tokens of a service account, messages and failures.
import { createVerify, generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createOutbound } from '../../../src/delivery/network/outbound.ts'
import { fcm } from '../../../src/delivery/providers/fcm.ts'
import { ada, deliver, deliveryId, failureOf, toDevice } from '../../support/delivery/message.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'

const google = useReceiver()
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

const account = () => ({
  project_id: 'shop-1',
  client_email: 'gateway@shop-1.example.com',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  token_uri: `${google.url}/token`,
})

const message = (serviceAccount: string | ReturnType<typeof account> = account()) => ({
  ...ada,
  target: toDevice,
  credentials: { serviceAccount, baseUrl: google.url },
})

const grant = (expiresIn = 3599) =>
  google.respond((response, { url }) => {
    response.end(
      JSON.stringify(url === '/token' ? { access_token: 'ya29.TOKEN', expires_in: expiresIn } : { name: '1' }),
    )
  })

const partOf = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString())

describe('fcm', () => {
  test('exchanges a signed assertion for a token, and sends with it', async () => {
    grant()
    expect(await deliver('fcm', message(JSON.stringify(account())))).toMatchObject({ status: 200 })
    const [asked, sent] = google.received
    const assertion = new URLSearchParams(asked?.body).get('assertion') ?? ''
    const [head, claims, signature = ''] = assertion.split('.')
    expect(partOf(head)).toEqual({ alg: 'RS256', typ: 'JWT' })
    const { iat, exp, ...rest } = partOf(claims)
    expect(rest).toEqual({
      iss: 'gateway@shop-1.example.com',
      scope: 'https://www.googleapis.com/auth/firebase.messaging',
      aud: `${google.url}/token`,
    })
    expect(exp - iat).toBe(3600)
    const verify = createVerify('sha256').update(`${String(head)}.${String(claims)}`)
    expect(verify.verify(publicKey, signature, 'base64url')).toBe(true)
    expect(sent).toMatchObject({
      path: '/v1/projects/shop-1/messages:send',
      headers: { authorization: 'Bearer ya29.TOKEN', 'idempotency-key': deliveryId },
      json: {
        message: {
          token: 'ExponentPushToken[0123456789]',
          notification: { title: 'Shipped', body: 'Your order is on its way.' },
          data: { payload: '{"total":120}' },
        },
      },
    })
  })

  test('reuses a token until shortly before it expires', async () => {
    const outbound = createOutbound({ allowPrivateAddresses: true })
    const paths = async (expiresIn: number) => {
      grant(expiresIn)
      await fcm.send(message(), outbound)
      return google.received.map(({ path }) => path.split('/').at(-1))
    }
    expect(await paths(30)).toEqual(['token', 'messages:send'])
    expect(await paths(3599)).toEqual(['token', 'messages:send', 'token', 'messages:send'])
    expect(await paths(3599)).toEqual(['token', 'messages:send', 'token', 'messages:send', 'messages:send'])
    await outbound.close()
  })

  test.each([
    [401, true],
    [503, false],
  ])('fails if the token request returns %d', async (status, permanent) => {
    google.answer(status, { error: 'invalid_grant' })
    expect(await failureOf(deliver('fcm', message()))).toMatchObject({ permanent, status })
    expect(google.received).toHaveLength(1)
  })

  test('fails temporarily if it gets no token, and does not include the response in the error', async () => {
    google.answer(200, { id_token: 'SECRET' })
    const failure = await failureOf(deliver('fcm', message()))
    expect(failure).toMatchObject({ permanent: false, status: 200, answer: null })
    expect(failure.message).toBe(`127.0.0.1:${google.port} returned no access token`)
  })

  /** Grants the tokens in turn, and sends the answers to messages in turn. */
  function answerInTurn(answers: readonly (readonly [status: number, errorCode: string | null])[]) {
    let granted = 0
    let answered = 0
    google.respond((response, { url }) => {
      if (url === '/token') {
        granted += 1
        response.end(JSON.stringify({ access_token: `ya29.${granted}`, expires_in: 3599 }))
        return
      }
      const [status, errorCode] = answers[answered] ?? [200, null]
      answered += 1
      const details = [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }]
      response.writeHead(status).end(JSON.stringify({ error: { code: status, ...(errorCode && { details }) } }))
    })
  }
  const sentWith = () =>
    google.received.filter(({ path }) => path !== '/token').map(({ headers }) => headers.authorization)

  test('renews a token that is not accepted, and sends once more in the same attempt', async () => {
    answerInTurn([[401, null]])
    expect(await deliver('fcm', message())).toMatchObject({ status: 200 })
    expect(sentWith()).toEqual(['Bearer ya29.1', 'Bearer ya29.2'])
  })

  test('uses the renewed token for later messages', async () => {
    const outbound = createOutbound({ allowPrivateAddresses: true })
    answerInTurn([[401, null]])
    await fcm.send(message(), outbound)
    await fcm.send(message(), outbound)
    expect(sentWith()).toEqual(['Bearer ya29.1', 'Bearer ya29.2', 'Bearer ya29.2'])
    await outbound.close()
  })

  test('renews a token only once', async () => {
    answerInTurn([
      [401, null],
      [401, null],
    ])
    expect(await failureOf(deliver('fcm', message()))).toMatchObject({
      permanent: true,
      status: 401,
      failureCause: 'credentials_rejected',
    })
    expect(sentWith()).toHaveLength(2)
  })

  test.each([
    [404, 'UNREGISTERED', 'device_unregistered', true],
    [404, null, 'rejected', true],
    [403, 'SENDER_ID_MISMATCH', 'rejected', true],
    [401, 'THIRD_PARTY_AUTH_ERROR', 'account_restricted', true],
    [429, 'QUOTA_EXCEEDED', 'unavailable', false],
    [503, 'UNAVAILABLE', 'unavailable', false],
  ])('answers %d %s, for which the cause is %s', async (status, errorCode, failureCause, permanent) => {
    answerInTurn([[status, errorCode]])
    expect(await failureOf(deliver('fcm', message()))).toMatchObject({ status, failureCause, permanent })
    expect(sentWith()).toHaveLength(1)
  })

  test('says in words that the device is no longer registered', async () => {
    answerInTurn([[404, 'UNREGISTERED']])
    expect((await failureOf(deliver('fcm', message()))).message).toBe(
      `The device is no longer registered (127.0.0.1:${google.port} responded with 404: UNREGISTERED)`,
    )
  })

  test('is not sent if a token is not issued in time', async () => {
    google.respond(() => {})
    const failure = await failureOf(deliver('fcm', message(), { timeout: 100 }))
    expect(failure).toMatchObject({ permanent: false, failureCause: 'unavailable' })
  })

  test('fails permanently for an unknown resource, and masks the token in the answer', async () => {
    google.respond((response, { url }) => {
      if (url === '/token') response.end(JSON.stringify({ access_token: 'ya29.TOKEN', expires_in: 3599 }))
      else response.writeHead(404).end(JSON.stringify({ error: { status: 'NOT_FOUND' }, echo: 'ya29.TOKEN' }))
    })
    expect(await failureOf(deliver('fcm', message()))).toMatchObject({
      permanent: true,
      status: 404,
      answer: '{"error":{"status":"NOT_FOUND"},"echo":"***"}',
    })
  })

  test.each([
    ['not JSON', 'serviceAccount is required'],
    ['{}', 'project_id is required'],
    [JSON.stringify({ private_key: 'SECRET' }), 'serviceAccount.private_key must be an RSA key in PEM form'],
  ])('explains what is wrong with a key file: %s', async (file, expected) => {
    const failure = await failureOf(deliver('fcm', { ...message(), credentials: { serviceAccount: file } }))
    expect(failure.permanent).toBe(true)
    expect(failure.message).toContain(expected)
    expect(failure.message).not.toContain('SECRET')
  })
})
