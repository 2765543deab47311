// The requests of email providers: with every field of an email step, and with none.
import { describe, expect, test } from 'vitest'
import type { Content } from '../../../src/domain/channel/content.ts'
import { deliver, deliveryId, toEmail } from '../../support/delivery/message.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'
import { readMail, smtp } from '../../support/delivery/smtp.ts'

const receiver = useReceiver()

const body = '<p>Your order is on its way.</p>'
const hidden = '<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">Soon &amp; safe</div>'
const html = `${hidden}${body}`

const plain: Content = { subject: 'Shipped', body }
const full: Content = {
  ...plain,
  email: {
    from: { name: 'Ignored', address: 'orders@example.org' },
    senderName: 'Orders, Inc.',
    replyTo: [{ name: '', address: 'help@example.org' }],
    cc: [
      { name: 'Bob', address: 'bob@example.org' },
      { name: '', address: 'carol@example.org' },
    ],
    bcc: [{ name: '', address: 'audit@example.org' }],
    headers: [{ name: 'X-Order', value: '42' }],
    thread: 'abc',
    preheader: 'Soon & safe',
    text: 'On its way.',
  },
}
const root = '<abc@example.org>'
const inJson = {
  from: '"Orders, Inc." <orders@example.org>',
  cc: ['"Bob" <bob@example.org>', 'carol@example.org'],
  bcc: ['audit@example.org'],
  replyTo: ['help@example.org'],
}
const headers = { 'X-Order': '42', References: root, 'In-Reply-To': root }

const credentials = () => ({
  from: 'shop@example.com',
  senderName: 'The Shop',
  apiKey: 'key',
  domain: 'example.com',
  baseUrl: receiver.url,
})

async function requestOf(provider: Parameters<typeof deliver>[0], content: Content): Promise<unknown> {
  await deliver(provider, { target: toEmail, content, credentials: credentials() })
  return receiver.last.json ?? Object.fromEntries(new URLSearchParams(receiver.last.body))
}

describe('an email with every field', () => {
  test('is sent by SendGrid', async () => {
    expect(await requestOf('sendgrid', full)).toEqual({
      from: { email: 'orders@example.org', name: 'Orders, Inc.' },
      personalizations: [
        {
          to: [{ email: 'ada@example.com' }],
          cc: [{ email: 'bob@example.org', name: 'Bob' }, { email: 'carol@example.org' }],
          bcc: [{ email: 'audit@example.org' }],
        },
      ],
      reply_to_list: [{ email: 'help@example.org' }],
      headers,
      custom_args: { delivery_id: deliveryId },
      subject: 'Shipped',
      content: [
        { type: 'text/plain', value: 'On its way.' },
        { type: 'text/html', value: html },
      ],
    })
  })

  test('is sent by Mailgun', async () => {
    expect(await requestOf('mailgun', full)).toEqual({
      from: inJson.from,
      to: 'ada@example.com',
      cc: '"Bob" <bob@example.org>, carol@example.org',
      bcc: 'audit@example.org',
      'h:Reply-To': 'help@example.org',
      'h:X-Order': '42',
      'h:References': root,
      'h:In-Reply-To': root,
      'v:delivery_id': deliveryId,
      subject: 'Shipped',
      text: 'On its way.',
      html,
    })
  })

  test('is sent by Postmark', async () => {
    expect(await requestOf('postmark', full)).toEqual({
      From: inJson.from,
      To: 'ada@example.com',
      Cc: '"Bob" <bob@example.org>, carol@example.org',
      Bcc: 'audit@example.org',
      ReplyTo: 'help@example.org',
      Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
      Metadata: { delivery_id: deliveryId },
      Subject: 'Shipped',
      TextBody: 'On its way.',
      HtmlBody: html,
    })
  })

  test('is sent by Resend', async () => {
    expect(await requestOf('resend', full)).toEqual({
      from: inJson.from,
      to: ['ada@example.com'],
      cc: inJson.cc,
      bcc: inJson.bcc,
      reply_to: inJson.replyTo,
      headers,
      tags: [{ name: 'delivery_id', value: deliveryId }],
      subject: 'Shipped',
      text: 'On its way.',
      html,
    })
  })

  test('is sent by SMTP', async () => {
    const server = await smtp()
    await deliver('nodemailer', { target: toEmail, content: full, credentials: server.credentials })
    const [mail] = server.received
    expect(mail).toMatchObject({
      from: 'orders@example.org',
      to: ['ada@example.com', 'bob@example.org', 'carol@example.org', 'audit@example.org'],
    })
    const read = readMail(mail ?? { from: '', to: [], user: '', message: '' })
    expect(Object.fromEntries(read.headers)).toMatchObject({
      from: '"Orders, Inc." <orders@example.org>',
      to: 'ada@example.com',
      cc: 'Bob <bob@example.org>, carol@example.org',
      'reply-to': 'help@example.org',
      'x-order': '42',
      references: root,
      'in-reply-to': root,
      'message-id': `<${deliveryId}@example.org>`,
      'idempotency-key': deliveryId,
    })
    expect(read.headers.has('bcc')).toBe(false)
    expect(read.parts).toEqual({ 'text/plain': 'On its way.', 'text/html': html })
  })

  test('is sent by a webhook', async () => {
    await deliver('email-webhook', { target: toEmail, content: full, credentials: { webhookUrl: receiver.url } })
    expect(receiver.last.json).toEqual({
      id: deliveryId,
      transactionId: 'order-1',
      channel: 'email',
      to: 'ada@example.com',
      from: 'orders@example.org',
      senderName: 'Orders, Inc.',
      cc: inJson.cc,
      bcc: inJson.bcc,
      replyTo: inJson.replyTo,
      headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
      subject: 'Shipped',
      content: html,
      text: 'On its way.',
      workflow: expect.anything(),
      subscriber: expect.anything(),
      contextKeys: ['tenant:acme'],
      payload: { total: 120 },
    })
  })
})

describe('an email without these fields', () => {
  const text = 'Your order is on its way.'
  const from = '"The Shop" <shop@example.com>'

  test('is sent as before', async () => {
    expect(await requestOf('sendgrid', plain)).toEqual({
      from: { email: 'shop@example.com', name: 'The Shop' },
      personalizations: [{ to: [{ email: 'ada@example.com' }] }],
      subject: 'Shipped',
      content: [
        { type: 'text/plain', value: text },
        { type: 'text/html', value: body },
      ],
    })
    expect(await requestOf('mailgun', plain)).toEqual({
      from,
      to: 'ada@example.com',
      subject: 'Shipped',
      text,
      html: body,
    })
    expect(await requestOf('postmark', plain)).toEqual({
      From: from,
      To: 'ada@example.com',
      Subject: 'Shipped',
      TextBody: text,
      HtmlBody: body,
    })
    expect(await requestOf('resend', plain)).toEqual({
      from,
      to: ['ada@example.com'],
      subject: 'Shipped',
      text,
      html: body,
    })
  })

  test('is sent as before by a webhook and by SMTP', async () => {
    const server = await smtp()
    await deliver('nodemailer', { target: toEmail, content: plain, credentials: server.credentials })
    const mail = readMail(server.received[0] ?? { from: '', to: [], user: '', message: '' })
    expect([...mail.headers.keys()].toSorted()).toEqual(
      [
        ...['content-type', 'date', 'from', 'idempotency-key', 'message-id', 'mime-version', 'subject', 'to'],
      ].toSorted(),
    )
    await deliver('email-webhook', {
      target: toEmail,
      content: plain,
      credentials: { webhookUrl: receiver.url, from: 'The Shop' },
    })
    expect(Object.keys(Object(receiver.last.json) as object)).toEqual(
      expect.arrayContaining(['id', 'from', 'subject', 'content']),
    )
    expect(receiver.last.json).toMatchObject({ from: 'The Shop', content: body })
    for (const field of ['senderName', 'cc', 'bcc', 'replyTo', 'headers', 'text']) {
      expect(receiver.last.json).not.toHaveProperty(field)
    }
  })
})

describe('the hidden preview text', () => {
  const sent = async (before: string) => {
    const content = { subject: 'Hi', body: before, email: { preheader: 'Soon & safe' } }
    await deliver('resend', { target: toEmail, content, credentials: credentials() })
    return receiver.last.json
  }

  test.each([
    ['<!doctype html><html><head></head><body class="a>b"><p>x</p></body></html>', '<body class="a>b">'],
    ['<!--[if mso]><body class="mso"><![endif]--><body><p>x</p></body>', '<![endif]--><body>'],
    ['<html><head><title>x</title></head><p>x</p></html>', '</head>'],
    ['<p>x</p>', ''],
  ])('is at the start of the body of %s', async (before, place) => {
    const at = before.indexOf(place) + place.length
    const expected = before.slice(0, at) + hidden + before.slice(at)
    expect(await sent(before)).toMatchObject({ html: expected, text: expect.not.stringContaining('Soon') })
  })

  test('is left out of plain text', async () => {
    expect(await sent('One\ntwo')).toEqual(expect.not.objectContaining({ html: expect.anything() }))
    expect(receiver.last.json).toMatchObject({ text: 'One\ntwo' })
  })
})
