// Mailjet: the request of an email, and failures.
import { describe, expect, test } from 'vitest'
import type { FailureCause } from '../../../src/domain/channel/failure-cause.ts'
import type { Message } from '../../../src/engine/message.ts'
import { emailWithEveryField, twoReplies } from '../../support/delivery/email.ts'
import { deliver, deliveryId, failureOf, toEmail } from '../../support/delivery/message.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'

const mailjet = useReceiver()

const send = (message: Partial<Message> = {}) =>
  deliver('mailjet', {
    target: toEmail,
    content: { subject: 'Shipped', body: '<p>On its way.</p>' },
    credentials: {
      ...{ apiKey: 'mj-public-key', secretKey: 'mj-secret-key', from: 'shop@example.com', senderName: 'The Shop' },
      baseUrl: mailjet.url,
    },
    ...message,
  })

const error = (StatusCode: number, ErrorMessage = 'No') => ({
  Messages: [{ Status: 'error', Errors: [{ ErrorIdentifier: '1', ErrorCode: 'mj-0013', StatusCode, ErrorMessage }] }],
})

describe('an email to Mailjet', () => {
  test('is one message', async () => {
    mailjet.answer(200, { Messages: [{ Status: 'success', To: [{ MessageID: 1 }] }] })
    expect(await send()).toMatchObject({ status: 200 })
    expect(mailjet.last).toMatchObject({
      method: 'POST',
      path: '/v3.1/send',
      headers: {
        authorization: `Basic ${Buffer.from('mj-public-key:mj-secret-key').toString('base64')}`,
        'idempotency-key': deliveryId,
      },
    })
    expect(mailjet.last.json).toEqual({
      Messages: [
        {
          From: { Email: 'shop@example.com', Name: 'The Shop' },
          To: [{ Email: 'ada@example.com' }],
          Subject: 'Shipped',
          TextPart: 'On its way.',
          HTMLPart: '<p>On its way.</p>',
        },
      ],
    })
  })

  test('has every field of an email step', async () => {
    await send(emailWithEveryField)
    expect(mailjet.last.json).toEqual({
      Messages: [
        {
          From: { Email: 'orders@example.org', Name: 'Orders, Inc.' },
          To: [{ Email: 'ada@example.com' }],
          Cc: [{ Email: 'bob@example.org', Name: 'Bob' }],
          Bcc: [{ Email: 'audit@example.org' }],
          ReplyTo: { Email: 'help@example.org' },
          Headers: { 'X-Order': '42' },
          CustomID: deliveryId,
          Subject: 'Shipped',
          TextPart: 'On its way.',
          HTMLPart: '<p>On its way.</p>',
          Attachments: [{ Filename: 'invoice.pdf', ContentType: 'application/pdf', Base64Content: 'JVBERi0xLjc=' }],
          InlinedAttachments: [
            { Filename: 'logo.png', ContentType: 'image/png', Base64Content: 'JVBERi0xLjc=', ContentID: 'logo' },
          ],
        },
      ],
    })
  })

  test('has one address for replies', async () => {
    expect(await failureOf(send(twoReplies))).toMatchObject({ permanent: true, failureCause: 'rejected' })
    expect(mailjet.received).toEqual([])
  })
})

describe('Mailjet answers', () => {
  test.each<[number, object, FailureCause, boolean]>([
    [200, error(400), 'rejected', true],
    [200, error(403), 'account_restricted', true],
    [200, error(500), 'unavailable', false],
    [400, error(400), 'rejected', true],
    [400, error(401), 'credentials_rejected', true],
    [400, error(429), 'unavailable', false],
    [401, { StatusCode: 401, ErrorMessage: 'API key authentication failure' }, 'credentials_rejected', true],
    [429, {}, 'unavailable', false],
    [503, {}, 'unavailable', false],
  ])('%d %j: the cause is %s', async (status, answer, failureCause, permanent) => {
    mailjet.answer(status, answer)
    expect(await failureOf(send())).toMatchObject({ status, failureCause, permanent })
  })

  test('never with a secret in the error or the answer', async () => {
    mailjet.answer(400, error(400, 'no mj-secret-key'))
    const { message, answer } = await failureOf(send())
    expect(message).toBe(`127.0.0.1:${mailjet.port} responded with 400: mj-0013: no ***`)
    expect(answer).not.toContain('mj-secret-key')
  })
})
