// Mandrill: the request of an email, and failures, most of which have the status 500.
import { describe, expect, test } from 'vitest'
import type { FailureCause } from '../../../src/domain/channel/failure-cause.ts'
import type { Message } from '../../../src/engine/message.ts'
import { emailWithEveryField, twoReplies } from '../../support/delivery/email.ts'
import { deliver, deliveryId, failureOf, toEmail } from '../../support/delivery/message.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'

const mandrill = useReceiver()

const send = (message: Partial<Message> = {}) =>
  deliver('mandrill', {
    target: toEmail,
    content: { subject: 'Shipped', body: '<p>On its way.</p>' },
    credentials: { apiKey: 'md-secret-key', from: 'shop@example.com', senderName: 'The Shop', baseUrl: mandrill.url },
    ...message,
  })

const result = (status: string, reject_reason: string | null = null) => ({
  ...{ email: 'ada@example.com', status, reject_reason, _id: '1' },
})
const error = (name: string, message = 'No') => ({ status: 'error', code: -1, name, message })

describe('an email to Mandrill', () => {
  test('is a request with the key in its body', async () => {
    mandrill.answer(200, [result('queued')])
    expect(await send()).toMatchObject({ status: 200 })
    expect(mandrill.last).toMatchObject({
      method: 'POST',
      path: '/api/1.0/messages/send.json',
      headers: { 'idempotency-key': deliveryId },
    })
    expect(mandrill.last.json).toEqual({
      key: 'md-secret-key',
      message: {
        from_email: 'shop@example.com',
        from_name: 'The Shop',
        to: [{ email: 'ada@example.com', type: 'to' }],
        subject: 'Shipped',
        html: '<p>On its way.</p>',
        text: 'On its way.',
      },
    })
  })

  test('has every field of an email step', async () => {
    await send(emailWithEveryField)
    expect(mandrill.last.json).toEqual({
      key: 'md-secret-key',
      message: {
        from_email: 'orders@example.org',
        from_name: 'Orders, Inc.',
        to: [
          { email: 'ada@example.com', type: 'to' },
          { email: 'bob@example.org', name: 'Bob', type: 'cc' },
          { email: 'audit@example.org', type: 'bcc' },
        ],
        preserve_recipients: true,
        headers: { 'X-Order': '42', 'Reply-To': 'help@example.org' },
        subject: 'Shipped',
        html: '<p>On its way.</p>',
        text: 'On its way.',
        attachments: [{ type: 'application/pdf', name: 'invoice.pdf', content: 'JVBERi0xLjc=' }],
        images: [{ type: 'image/png', name: 'logo', content: 'JVBERi0xLjc=' }],
      },
    })
  })

  test('has all addresses for replies', async () => {
    await send(twoReplies)
    expect(mandrill.last.json).toMatchObject({
      message: { headers: { 'Reply-To': 'help@example.org, shop@example.org' } },
    })
  })

  test('has what an override adds to the message', async () => {
    await send({ overrides: [{ tags: ['orders'], _passthrough: { body: { ip_pool: 'main' } } }] })
    expect(mandrill.last.json).toMatchObject({ ip_pool: 'main', message: { tags: ['orders'], subject: 'Shipped' } })
  })
})

describe('Mandrill answers', () => {
  test.each<[number, unknown, FailureCause, boolean]>([
    [500, error('Invalid_Key'), 'credentials_rejected', true],
    [500, error('PaymentRequired'), 'account_restricted', true],
    [500, error('Unknown_Subaccount'), 'account_restricted', true],
    [500, error('ValidationError'), 'rejected', true],
    [500, error('GeneralError'), 'unavailable', false],
    [503, error('ServiceUnavailable'), 'unavailable', false],
    [502, '<html>', 'unavailable', false],
    [200, [result('rejected', 'hard-bounce')], 'suppressed', true],
    [200, [result('rejected', 'unsub')], 'suppressed', true],
    [200, [result('rejected', 'soft-bounce')], 'rejected', true],
    [200, [result('rejected', 'unsigned')], 'account_restricted', true],
    [200, [result('invalid')], 'rejected', true],
  ])('%d %j: the cause is %s', async (status, answer, failureCause, permanent) => {
    mandrill.answer(status, answer)
    expect(await failureOf(send())).toMatchObject({ status, failureCause, permanent })
  })

  test('that one of several recipients was accepted', async () => {
    mandrill.answer(200, [result('rejected', 'hard-bounce'), result('sent')])
    expect(await send()).toMatchObject({ status: 200 })
  })

  test('never with a secret in the error or the answer', async () => {
    mandrill.answer(500, error('Invalid_Key', 'no md-secret-key'))
    const { message, answer } = await failureOf(send())
    expect(message).toBe(`127.0.0.1:${mandrill.port} responded with 500: Invalid_Key: no ***`)
    expect(answer).not.toContain('md-secret-key')
  })
})
