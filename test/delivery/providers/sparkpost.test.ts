// SparkPost: the request of an email, and failures.
import { describe, expect, test } from 'vitest'
import type { FailureCause } from '../../../src/domain/channel/failure-cause.ts'
import type { Message } from '../../../src/engine/message.ts'
import { emailWithEveryField, twoReplies } from '../../support/delivery/email.ts'
import { deliver, deliveryId, failureOf, toEmail } from '../../support/delivery/message.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'

const sparkpost = useReceiver()

const credentials = (more: object = {}) => ({
  ...{ apiKey: 'sp-secret-key', from: 'shop@example.com', senderName: 'The Shop', baseUrl: sparkpost.url, ...more },
})
const send = (message: Partial<Message> = {}) =>
  deliver('sparkpost', {
    target: toEmail,
    content: { subject: 'Shipped', body: '<p>On its way.</p>' },
    credentials: credentials(),
    ...message,
  })

const results = (accepted: number, rejected: number) => ({
  results: { id: '1', total_accepted_recipients: accepted, total_rejected_recipients: rejected },
})
const error = (message: string) => ({ errors: [{ message, code: '2101' }] })

describe('an email to SparkPost', () => {
  test('is a transactional transmission', async () => {
    sparkpost.answer(200, results(1, 0))
    expect(await send()).toMatchObject({ status: 200 })
    expect(sparkpost.last).toMatchObject({
      method: 'POST',
      path: '/api/v1/transmissions',
      headers: { authorization: 'sp-secret-key', 'idempotency-key': deliveryId },
    })
    expect(sparkpost.last.json).toEqual({
      recipients: [{ address: { email: 'ada@example.com' } }],
      content: {
        from: { email: 'shop@example.com', name: 'The Shop' },
        subject: 'Shipped',
        html: '<p>On its way.</p>',
        text: 'On its way.',
      },
      options: { transactional: true },
    })
  })

  test('has every field of an email step', async () => {
    await send(emailWithEveryField)
    const shown = { header_to: 'ada@example.com' }
    expect(sparkpost.last.json).toEqual({
      recipients: [
        { address: { email: 'ada@example.com', ...shown } },
        { address: { email: 'bob@example.org', ...shown } },
        { address: { email: 'audit@example.org', ...shown } },
      ],
      content: {
        from: { email: 'orders@example.org', name: 'Orders, Inc.' },
        reply_to: 'help@example.org',
        headers: { 'X-Order': '42', CC: '"Bob" <bob@example.org>' },
        subject: 'Shipped',
        html: '<p>On its way.</p>',
        text: 'On its way.',
        attachments: [{ name: 'invoice.pdf', type: 'application/pdf', data: 'JVBERi0xLjc=' }],
        inline_images: [{ name: 'logo', type: 'image/png', data: 'JVBERi0xLjc=' }],
      },
      options: { transactional: true },
    })
  })

  test('has one address for replies', async () => {
    expect(await failureOf(send(twoReplies))).toMatchObject({ permanent: true, failureCause: 'rejected' })
    expect(sparkpost.received).toEqual([])
  })

  test.each([
    [undefined, 'api.sparkpost.com'],
    ['', 'api.sparkpost.com'],
    ['eu', 'api.eu.sparkpost.com'],
  ])('goes to the region %s', async (region, host) => {
    const names = { resolve: () => Promise.resolve([]), knows: () => true }
    const message = { target: toEmail, credentials: credentials({ region, baseUrl: undefined }) }
    expect((await failureOf(deliver('sparkpost', message, { names }))).message).toContain(`${host} `)
  })
})

describe('SparkPost answers', () => {
  test.each<[number, object, FailureCause, boolean]>([
    [200, results(0, 1), 'rejected', true],
    [400, error('No recipients'), 'rejected', true],
    [401, error('Unauthorized.'), 'credentials_rejected', true],
    [403, error('Forbidden.'), 'account_restricted', true],
    [420, error('Exceed Sending Limit (hourly)'), 'unavailable', false],
    [429, {}, 'unavailable', false],
    [503, {}, 'unavailable', false],
  ])('%d %j: the cause is %s', async (status, answer, failureCause, permanent) => {
    sparkpost.answer(status, answer)
    expect(await failureOf(send())).toMatchObject({ status, failureCause, permanent })
  })

  test('that one of several recipients was accepted', async () => {
    sparkpost.answer(200, results(1, 1))
    expect(await send(emailWithEveryField)).toMatchObject({ status: 200 })
  })

  test('never with a secret in the error or the answer', async () => {
    sparkpost.answer(420, error('no sp-secret-key'))
    const { message, answer } = await failureOf(send())
    expect(message).toBe(`127.0.0.1:${sparkpost.port} responded with 420: no ***`)
    expect(answer).not.toContain('sp-secret-key')
  })
})
