// The files of emails in the requests of the providers.
import { describe, expect, test } from 'vitest'
import type { LoadedFile } from '../../../src/engine/message.ts'
import { deliver, deliveryId, toEmail } from '../../support/delivery/message.ts'
import { useReceiver } from '../../support/delivery/receiver.ts'

const receiver = useReceiver()

const bytes = Buffer.from('%PDF-1.7')
const data = bytes.toString('base64')
const invoice: LoadedFile = { name: 'invoice.pdf', contentType: 'application/pdf', bytes }
const logo: LoadedFile = { name: 'logo.png', contentType: 'image/png', bytes, contentId: 'logo', inline: true }
const invitation: LoadedFile = {
  name: 'invite.ics',
  contentType: 'text/calendar; method=REQUEST',
  bytes: Buffer.from('BEGIN:VCALENDAR'),
}

type Provider = Parameters<typeof deliver>[0]

const sent = (provider: Provider, files: readonly LoadedFile[]) =>
  deliver(provider, {
    target: toEmail,
    content: { subject: 'Invoice', body: 'Hello' },
    files,
    credentials: {
      ...{ from: 'shop@example.com', apiKey: 'key', domain: 'example.com' },
      ...{ baseUrl: receiver.url, webhookUrl: receiver.url },
    },
  })

async function requestOf(provider: Provider, ...files: readonly LoadedFile[]): Promise<unknown> {
  await sent(provider, files)
  return receiver.last.json
}

test('SendGrid gets files, and an invitation as a part of the content', async () => {
  expect(await requestOf('sendgrid', invoice, logo, invitation)).toMatchObject({
    content: [{ type: 'text/plain' }, { type: 'text/calendar; method=REQUEST', value: 'BEGIN:VCALENDAR' }],
    attachments: [
      { content: data, type: 'application/pdf', filename: 'invoice.pdf', disposition: 'attachment' },
      { content: data, type: 'image/png', filename: 'logo.png', disposition: 'inline', content_id: 'logo' },
    ],
  })
})

test('Postmark gets files', async () => {
  expect(await requestOf('postmark', invoice, logo)).toMatchObject({
    Attachments: [
      { Name: 'invoice.pdf', Content: data, ContentType: 'application/pdf' },
      { Name: 'logo.png', Content: data, ContentType: 'image/png', ContentID: 'cid:logo' },
    ],
  })
})

test('Resend gets files', async () => {
  expect(await requestOf('resend', invoice, logo)).toMatchObject({
    attachments: [
      { filename: 'invoice.pdf', content: data, content_type: 'application/pdf' },
      { filename: 'logo.png', content: data, content_type: 'image/png', content_id: 'logo' },
    ],
  })
})

test('a webhook gets files', async () => {
  expect(await requestOf('email-webhook', invoice, logo)).toMatchObject({
    attachments: [
      { name: 'invoice.pdf', contentType: 'application/pdf', size: 8, disposition: 'attachment', content: data },
      { name: 'logo.png', contentType: 'image/png', contentId: 'logo', disposition: 'inline', content: data },
    ],
  })
})

test('Mailgun gets a form with files', async () => {
  await sent('mailgun', [{ ...invoice, name: 'the "invoice".pdf' }, logo])
  const { headers, body } = receiver.last
  const form = await new Response(body, { headers: { 'content-type': String(headers['content-type']) } }).formData()
  const [file, inline] = [form.get('attachment'), form.get('inline')]
  expect([form.get('to'), form.get('subject')]).toEqual(['ada@example.com', 'Invoice'])
  expect(file).toMatchObject({ name: 'the "invoice".pdf', type: 'application/pdf', size: 8 })
  expect(inline).toMatchObject({ name: 'logo', type: 'image/png' })
  expect(headers['content-type']).toContain(deliveryId)
})

describe('without files', () => {
  test.each(['sendgrid', 'postmark', 'resend', 'email-webhook'] as const)(
    '%s gets no field for them',
    async (provider) => {
      expect(Object.keys((await requestOf(provider)) as object)).not.toContain('attachments')
      expect(receiver.last.body).not.toMatch(/attachments/i)
    },
  )
})
