// Scenarios of emails with files: an invoice, and an invitation.
import { beforeEach, expect, test } from 'vitest'
import { attachmentsIn, readMail, smtp } from '../support/delivery/smtp.ts'
import { createWorkflow, done, trigger } from '../support/delivery/story.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let acme: Client

beforeEach(async () => {
  acme = await world.environment()
  await done(acme, 'createSubscriber', { subscriberId: 'ada', email: 'ada@example.com' })
})

async function useMailServer() {
  const { received, credentials } = await smtp()
  await done(acme, 'createIntegration', { identifier: 'smtp', providerId: 'NODEMAILER', credentials })
  return () => {
    const mail = received.at(-1)
    if (mail === undefined) throw new Error('no mail has arrived')
    return mail
  }
}

test('an invoice with a PDF goes to a customer, with the accountant in bcc and replies to support', async () => {
  const lastMail = await useMailServer()
  await createWorkflow(acme, [
    {
      email: {
        subject: 'Invoice {{payload.number}}',
        body: '<p>Please find {{payload.attachments[0].name}} attached.</p>',
        bcc: ['accounting@example.com'],
        replyTo: ['support@example.com'],
      },
    },
  ])
  const pdf = Buffer.from('%PDF-1.7\n…')
  const file = { file: pdf.toString('base64'), name: 'invoice-7.pdf', mime: 'application/pdf' }
  await trigger(acme, { payload: { number: 7, attachments: [file] } })
  await world.work()
  const mail = lastMail()
  expect(mail.to).toEqual(['ada@example.com', 'accounting@example.com'])
  expect(mail.message).toContain('Subject: Invoice 7')
  expect(mail.message).toContain('Please find invoice-7.pdf attached.')
  const { headers } = readMail(mail)
  expect([headers.get('reply-to'), headers.get('bcc')]).toEqual(['support@example.com', undefined])
  expect(attachmentsIn(mail)).toEqual([{ name: 'invoice-7.pdf', contentType: 'application/pdf', bytes: pdf }])
})

test('an invitation to a meeting is one that the calendar of the recipient offers to accept', async () => {
  const lastMail = await useMailServer()
  await createWorkflow(acme, [{ email: { subject: 'Review', body: '<p>Tuesday at ten</p>' } }])
  const calendar = 'BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n'
  const contentType = 'text/calendar; method=REQUEST'
  const content = { name: 'invite.ics', contentType, data: Buffer.from(calendar).toString('base64') }
  await trigger(acme, { attachments: [{ content }] })
  await world.work()
  const { message } = lastMail()
  expect(readMail(lastMail()).headers.get('content-type')).toContain('multipart/alternative')
  expect(message).toMatch(/Content-Type: text\/calendar;[^\n]*method=REQUEST/i)
  expect(attachmentsIn(lastMail())).toEqual([])
})
