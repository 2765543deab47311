// Email over SMTP, tested against a real server on loopback.
import { text } from 'node:stream/consumers'
import type { SMTPServerOptions } from 'smtp-server'
import { describe, expect, test } from 'vitest'
import { deliver, deliveryId, failureOf, toEmail } from '../../support/delivery/message.ts'
import { silentSmtp } from '../../support/delivery/silent-smtp.ts'
import { smtp } from '../../support/delivery/smtp.ts'

const rejecting = (responseCode: number, message: string): SMTPServerOptions => ({
  onRcptTo: (_address, _session, callback) => callback(Object.assign(new Error(message), { responseCode })),
})

const html = '<p>Your order is <b>on its way</b>, Ada.</p>'
const content = { subject: 'Grüße', body: html }

describe('an email over SMTP', () => {
  test('arrives as HTML and plain text, with the delivery id in its headers', async () => {
    const { received, credentials } = await smtp()
    const receipt = await deliver('nodemailer', { target: toEmail, content, credentials })
    const providerMessageId = `${deliveryId}@example.com`
    expect(receipt).toEqual({ status: 250, answer: '250 queued as 42', providerMessageId })
    expect(received).toHaveLength(1)
    const [{ from, to, message } = { from: '', to: [], message: '' }] = received
    expect({ from, to }).toEqual({ from: 'shop@example.com', to: ['ada@example.com'] })
    expect(message).toContain('From: The Shop <shop@example.com>\r\n')
    expect(message).toContain('To: ada@example.com\r\n')
    expect(message).toContain('Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=\r\n')
    expect(message).toContain(`Message-ID: <${deliveryId}@example.com>\r\n`)
    expect(message).toContain(`Idempotency-Key: ${deliveryId}\r\n`)
    expect(message).toContain('multipart/alternative')
    expect(message).toContain('\r\n\r\nYour order is on its way, Ada.\r\n')
    expect(message).toContain(`\r\n\r\n${html}\r\n`)
  })

  test('is sent as plain text only when its body has no HTML', async () => {
    const { received, credentials } = await smtp()
    await deliver('nodemailer', { target: toEmail, content: { subject: 'Hi', body: 'One\ntwo' }, credentials })
    expect(received[0]?.message).toContain('Content-Type: text/plain')
    expect(received[0]?.message).not.toContain('multipart')
  })

  test('is sent with the user and password of the integration', async () => {
    const { received, credentials } = await smtp({ authOptional: false })
    await deliver('nodemailer', {
      target: toEmail,
      content,
      // A port from a form is a string.
      credentials: { ...credentials, port: String(credentials.port), user: 'ada', password: 'right' },
    })
    expect(received[0]?.user).toBe('ada')
  })

  test('allows no injected header or recipient', async () => {
    const { received, credentials } = await smtp()
    const evil = 'Hi\r\nBcc: eve@example.com\r\n\r\nBuy'
    const address = 'ada@example.com>\r\nRCPT TO:<eve@example.com'
    await deliver('nodemailer', { target: toEmail, content: { subject: evil, body: 'Hello' }, credentials })
    await deliver('nodemailer', { target: { kind: 'email', address }, content, credentials }).catch(() => {})
    await deliver('nodemailer', {
      target: { kind: 'email', address: 'ada@example.com, eve@example.com' },
      content,
      credentials,
    }).catch(() => {})
    expect(received[0]?.message).not.toMatch(/^(Bcc|Buy)/m)
    expect(received.flatMap(({ to }) => to)).not.toContain('eve@example.com')
  })
})

describe('a failed attempt over SMTP', () => {
  const attempt = (credentials: { host: string; port: number; from: string }, options = {}) =>
    failureOf(deliver('nodemailer', { target: toEmail, content, credentials: { ...credentials, ...options } }))

  test.each([
    [550, true],
    [554, true],
    [421, false],
    [450, false],
  ])('reports status %d and whether it is permanent', async (status, permanent) => {
    const { credentials } = await smtp(rejecting(status, 'no such user'))
    const failure = await attempt(credentials)
    expect(failure).toMatchObject({
      permanent,
      status,
      answer: `${status} no such user`,
      message: `127.0.0.1:${credentials.port} responded with ${status}`,
    })
  })

  test('does not reveal the password, even when the server does', async () => {
    const { credentials } = await smtp()
    const failure = await attempt(credentials, { user: 'ada', password: 'wrong-SECRET' })
    expect(failure).toMatchObject({ permanent: true, status: 535, answer: '535 5.7.8 wrong: ***' })
    expect(failure.message).not.toContain('SECRET')
  })

  test('is not permanent when the server is unreachable or silent', async () => {
    const { credentials } = await smtp()
    const away = await attempt(credentials, { port: 1 })
    expect(away).toMatchObject({ permanent: false, message: '127.0.0.1:1 cannot be reached: ECONNREFUSED' })

    const silent = await smtp({ onConnect: () => {} })
    const failure = await failureOf(
      deliver('nodemailer', { target: toEmail, content, credentials: silent.credentials }, { timeout: 50 }),
    )
    expect(failure).toMatchObject({ permanent: false, failureCause: 'unavailable' })
    expect(failure.message).toContain(`127.0.0.1:${silent.credentials.port}`)
  })

  test('has an unknown outcome if the server has the whole message and does not answer', async () => {
    const { credentials, bodies } = await silentSmtp()
    expect(await attempt(credentials)).toMatchObject({
      ...{ permanent: false, failureCause: 'unconfirmed' },
      message: expect.stringContaining(`127.0.0.1:${credentials.port} did not confirm the message`) as string,
    })
    expect(bodies).toHaveLength(1)
  })

  test('has a known outcome if the server has the whole message and says that it is busy', async () => {
    const { credentials } = await smtp({
      onData: (stream, _session, callback) =>
        void text(stream).then(() => callback(Object.assign(new Error('busy'), { responseCode: 451 }))),
    })
    expect(await attempt(credentials)).toMatchObject({ permanent: false, status: 451, failureCause: 'unavailable' })
  })

  test('sends nothing in clear text when TLS is required but unavailable', async () => {
    const { received, credentials } = await smtp()
    expect(await attempt(credentials, { requireTls: true })).toMatchObject({ permanent: true, status: 500 })
    expect(received).toEqual([])
  })

  test('sends nothing to a server with an untrusted certificate', async () => {
    for (const options of [{ secure: true }, { disabledCommands: [] }]) {
      const { received, credentials } = await smtp(options)
      const failure = await attempt(credentials, { secure: 'secure' in options })
      expect(failure).toMatchObject({ status: null, permanent: false })
      expect(failure.message).toMatch(/^127\.0\.0\.1:\d+ did not accept the message: .*certificate/)
      expect(received).toEqual([])
    }
  })

  test('is permanent when the server has a private address, and says so', async () => {
    const { credentials } = await smtp()
    const message = { target: toEmail, content, credentials: { ...credentials, host: 'localhost' } }
    const failure = await failureOf(deliver('nodemailer', message, { allowPrivateAddresses: false }))
    expect(failure.permanent).toBe(true)
    expect(failure.message).toContain('localhost is a private address')
  })
})
