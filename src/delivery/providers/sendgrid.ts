// SendGrid: email by the Mail Send API, and reports by the Event Webhook.
import { createPublicKey, type KeyObject, verify as verifySignature } from 'node:crypto'
import { z } from 'zod'
import { isCalendar } from '../../domain/channel/attachment-file.ts'
import type { MessageReport, ReportedKind } from '../../domain/channel/delivery-report.ts'
import type { EmailAddress } from '../../domain/channel/email-address.ts'
import { emailContent, emailEnvelope, headersByName, unlessEmpty } from '../provider-kit/content.ts'
import { base64Of, filesOf } from '../provider-kit/files.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import {
  euRegion,
  optional,
  plain,
  regionalBaseUrl,
  secret,
  sender,
  webhookSigningKey,
} from '../provider-kit/credentials.ts'
import { bearer, exchange } from '../provider-kit/exchange.ts'
import { namesDelivery } from '../provider-kit/named-delivery.ts'
import {
  createReceiver,
  jsonBody,
  keySetting,
  type Reporting,
  sentence,
  timeOf,
  unverified,
} from '../provider-kit/report.ts'
import { emailTarget } from '../provider-kit/target.ts'

const settings = sender.extend({
  apiKey: secret('API key', 'The API key of the account.'),
  webhookSigningKey: webhookSigningKey('the verification key of the signed Event Webhook'),
  region: euRegion(),
  ipPoolName: optional(plain('IP pool', 'The IP pool that sends. Absent for the one of the account.')),
  baseUrl: regionalBaseUrl('the region'),
})

const hosts = { standard: 'https://api.sendgrid.com', eu: 'https://api.eu.sendgrid.com' } as const

const utf8 = new TextDecoder()

const inJson = ({ name, address }: EmailAddress) => ({ email: address, name: name || undefined })

/** @throws Refusal `UNAUTHENTICATED` */
function publicKeyOf(reporting: Reporting): KeyObject {
  try {
    return createPublicKey({ key: Buffer.from(keySetting(reporting), 'base64'), format: 'der', type: 'spki' })
  } catch {
    throw unverified('webhookSigningKey is not a verification key')
  }
}

function verify(reporting: Reporting): void {
  const { header, body } = reporting.request
  const timestamp = header('x-twilio-email-event-webhook-timestamp') ?? ''
  const signature = Buffer.from(header('x-twilio-email-event-webhook-signature') ?? '', 'base64')
  const signed = Buffer.concat([Buffer.from(timestamp), body])
  if (!verifySignature('sha256', signed, publicKeyOf(reporting), signature)) throw unverified('its signature is wrong')
}

const events = z.array(
  z.object({
    event: z.string(),
    email: z.string().optional(),
    timestamp: z.number().optional(),
    sg_event_id: z.string(),
    sg_message_id: z.string().optional(),
    // Other senders of the account may use the name.
    delivery_id: z.string().optional().catch(undefined),
    type: z.string().optional(),
    reason: z.string().optional(),
    response: z.string().optional(),
    status: z.string().optional(),
  }),
)

const kinds: Readonly<Record<string, ReportedKind | undefined>> = {
  processed: 'accepted',
  deferred: 'deferred',
  delivered: 'delivered',
  bounce: 'bounced_hard',
  dropped: 'dropped',
  spamreport: 'complained',
  unsubscribe: 'unsubscribed',
  group_unsubscribe: 'unsubscribed',
  open: 'opened',
  click: 'clicked',
}

type SendgridEvent = z.output<typeof events>[number]

/** Reasons of drops because of the address. Others concern the content or the account. */
const listed = /^(bounced|unsubscribed|spam reporting) address/i

function causeOf({ event, reason = '', status }: SendgridEvent): MessageReport['cause'] {
  if (event === 'dropped') {
    if (/^invalid/i.test(reason)) return 'invalid_address'
    return listed.test(reason) ? 'suppressed_by_provider' : undefined
  }
  return event === 'bounce' && status === '5.1.3' ? 'invalid_address' : undefined
}

const receiver = createReceiver({
  proof: 'signing_key',
  setting: 'webhookSigningKey',
  verify,
  parse: (request) =>
    jsonBody(request, events).flatMap((one): MessageReport[] => {
      const { event, type, email, timestamp, reason, response, status } = one
      const kind = event === 'bounce' && type === 'blocked' ? 'bounced_soft' : kinds[event]
      if (kind === undefined) return []
      return [
        {
          deliveryId: one.delivery_id,
          // The id of the response, with a suffix for each recipient.
          providerMessageId: one.sg_message_id?.split('.')[0],
          address: email,
          kind,
          at: timeOf(timestamp, request.now),
          key: one.sg_event_id,
          detail: sentence(reason ?? response),
          code: status,
          cause: causeOf(one),
        },
      ]
    }),
})

export const sendgrid = createProvider({
  settings,
  target: emailTarget,
  receiver,
  send({ settings: { apiKey, region, ipPoolName, baseUrl, ...sender }, to: recipient, message, outbound }) {
    const { subject, html, text } = emailContent(message)
    const { from, to, cc, bcc, replyTo, headers } = emailEnvelope(message, sender, recipient)
    const files = filesOf(message)
    const plain = { type: 'text/plain', value: text }
    return exchange(message, outbound, {
      url: `${baseUrl ?? hosts[region ?? 'standard']}/v3/mail/send`,
      headers: bearer(apiKey),
      body: {
        from: inJson(from),
        personalizations: [{ to: unlessEmpty(to, inJson), cc: unlessEmpty(cc, inJson), bcc: unlessEmpty(bcc, inJson) }],
        reply_to_list: unlessEmpty(replyTo, inJson),
        headers: headersByName(headers),
        ip_pool_name: ipPoolName,
        ...(namesDelivery(message) && { custom_args: { delivery_id: message.deliveryId } }),
        subject,
        // SendGrid requires plain text first.
        content: [
          plain,
          ...(html === undefined ? [] : [{ type: 'text/html', value: html }]),
          ...files
            .filter(isCalendar)
            .map(({ contentType, bytes }) => ({ type: contentType, value: utf8.decode(bytes) })),
        ],
        attachments: unlessEmpty(
          files.filter((file) => !isCalendar(file)),
          (file) => ({
            content: base64Of(file),
            // SendGrid allows no parameters.
            type: file.contentType.split(';')[0]?.trim(),
            filename: file.name,
            disposition: file.inline ? 'inline' : 'attachment',
            content_id: file.contentId,
          }),
        ),
      },
      findMessageId: (answer) => answer.headers['x-message-id'],
    })
  },
})
