// Brevo: the requests of emails and text messages, and failures.
import { describe, expect, test } from 'vitest'
import type { FailureCause } from '../../../src/domain/channel/failure-cause.ts'
import type { Message } from '../../../src/engine/message.ts'
import { emailWithEveryField, twoReplies } from '../../support/delivery/email.ts'
import { deliver, deliveryId, failureOf, toEmail, toPhone } from '../../support/delivery/message.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'

const brevo = useReceiver()

const headers = { 'api-key': 'xkeysib-secret', 'idempotency-key': deliveryId }

const email = (message: Partial<Message> = {}) =>
  deliver('sendinblue', {
    target: toEmail,
    content: { subject: 'Shipped', body: '<p>On its way.</p>' },
    credentials: { apiKey: 'xkeysib-secret', from: 'shop@example.com', senderName: 'The Shop', baseUrl: brevo.url },
    ...message,
  })

const text = (body = 'On its way.') =>
  deliver('brevo-sms', {
    target: toPhone,
    content: { subject: null, body },
    credentials: { apiKey: 'xkeysib-secret', from: 'Shop', baseUrl: brevo.url },
  })

describe('an email to Brevo', () => {
  test('is a request with the key in a header', async () => {
    brevo.answer(201, { messageId: '<1@smtp-relay.mailin.fr>' })
    expect(await email()).toMatchObject({ status: 201 })
    expect(brevo.last).toMatchObject({ method: 'POST', path: '/v3/smtp/email', headers })
    expect(brevo.last.json).toEqual({
      sender: { email: 'shop@example.com', name: 'The Shop' },
      to: [{ email: 'ada@example.com' }],
      subject: 'Shipped',
      htmlContent: '<p>On its way.</p>',
      textContent: 'On its way.',
    })
  })

  test('has every field of an email step', async () => {
    await email(emailWithEveryField)
    expect(brevo.last.json).toEqual({
      sender: { email: 'orders@example.org', name: 'Orders, Inc.' },
      to: [{ email: 'ada@example.com' }],
      cc: [{ email: 'bob@example.org', name: 'Bob' }],
      bcc: [{ email: 'audit@example.org' }],
      replyTo: { email: 'help@example.org' },
      headers: { 'X-Order': '42' },
      subject: 'Shipped',
      htmlContent: '<p>On its way.</p>',
      textContent: 'On its way.',
      attachment: [
        { name: 'invoice.pdf', content: 'JVBERi0xLjc=' },
        { name: 'logo.png', content: 'JVBERi0xLjc=' },
      ],
    })
  })

  test('has one address for replies', async () => {
    expect(await failureOf(email(twoReplies))).toMatchObject({ permanent: true, failureCause: 'rejected' })
    expect(brevo.received).toEqual([])
  })
})

describe('a text message to Brevo', () => {
  test('is transactional, to a number without a plus sign', async () => {
    brevo.answer(201, { messageId: 1511882900176220 })
    expect(await text()).toMatchObject({ status: 201 })
    expect(brevo.last).toMatchObject({ method: 'POST', path: '/v3/transactionalSMS/send', headers })
    expect(brevo.last.json).toEqual({
      sender: 'Shop',
      recipient: '4915123456789',
      content: 'On its way.',
      type: 'transactional',
    })
  })

  test('says so if it has characters outside of the GSM alphabet', async () => {
    await text('Grüße')
    expect(brevo.last.json).toMatchObject({ content: 'Grüße', unicodeEnabled: true })
  })
})

describe('Brevo answers', () => {
  const both = [
    ['email', email],
    ['text message', text],
  ] as const

  test.each<[number, string, FailureCause, boolean]>([
    [400, 'invalid_parameter', 'rejected', true],
    [401, 'unauthorized', 'credentials_rejected', true],
    [402, 'not_enough_credits', 'account_restricted', true],
    [403, 'permission_denied', 'account_restricted', true],
    [429, 'too_many_requests', 'unavailable', false],
    [503, 'unavailable', 'unavailable', false],
  ])('%d %s: the cause is %s', async (status, code, failureCause, permanent) => {
    brevo.answer(status, { code, message: 'no xkeysib-secret' })
    for (const [, send] of both) {
      const failure = await failureOf(send())
      expect(failure).toMatchObject({ status, failureCause, permanent, retryAfter: null })
      expect(`${failure.message} ${String(failure.answer)}`).not.toContain('xkeysib-secret')
    }
  })

  test.each(both)('when its limit ends, for the next attempt of an %s', async (_kind, send) => {
    brevo.answer(429, { code: 'too_many_requests' }, { 'x-sib-ratelimit-reset': '120' })
    expect(await failureOf(send())).toMatchObject({ permanent: false, retryAfter: 120 })
  })
})
