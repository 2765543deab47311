// Postmark: email by the Email API, and reports by webhooks.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { MessageReport, ReportedKind, ReportRequest } from '../../domain/channel/delivery-report.ts'
import { formatAddress } from '../../domain/channel/email-address.ts'
import { emailContent, emailEnvelope, unlessEmpty } from '../provider-kit/content.ts'
import { base64Of, filesOf } from '../provider-kit/files.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, secret, sender } from '../provider-kit/credentials.ts'
import { exchange } from '../provider-kit/exchange.ts'
import type { ProviderAnswer, Verdict } from '../provider-kit/failure-class.ts'
import { createReceiver, jsonBody, sentence, timeOf, unverified } from '../provider-kit/report.ts'
import { emailTarget } from '../provider-kit/target.ts'

const settings = sender.extend({
  apiKey: secret('Server token', 'The token of the server, not of the account.'),
  baseUrl: baseUrl('https://api.postmarkapp.com'),
})

/** The maximum size of all attachments of an email. */
const MAX_BYTES = 10 * 1024 * 1024

const failed = z.object({ ErrorCode: z.number(), Message: z.string() })

/** The sender is not confirmed, the credit is used up, or the account may not send yet or any more. */
const ofAccount: ReadonlySet<number> = new Set([400, 401, 405, 412, 413])

/** All recipients are inactive, because they bounced, complained or were deactivated. */
const INACTIVE = 406

function classify({ json }: ProviderAnswer): Verdict | undefined {
  const { data } = failed.safeParse(json)
  if (data === undefined) return undefined
  if (data.ErrorCode === INACTIVE) return { class: 'suppressed', reason: data.Message }
  return ofAccount.has(data.ErrorCode) ? { class: 'account', reason: data.Message } : undefined
}

const reported = z.object({
  RecordType: z.string(),
  ID: z.number().optional(),
  Type: z.string().optional(),
  MessageID: z.string().optional(),
  Metadata: z.object({ delivery_id: z.string().optional() }).nullish().catch(undefined),
  Email: z.string().optional(),
  Recipient: z.string().optional(),
  BouncedAt: z.string().optional(),
  DeliveredAt: z.string().optional(),
  ChangedAt: z.string().optional(),
  ReceivedAt: z.string().optional(),
  SuppressSending: z.boolean().optional(),
  Description: z.string().nullish(),
  Details: z.string().nullish(),
})

type PostmarkEvent = z.output<typeof reported>

const bounces: Readonly<Record<string, ReportedKind | undefined>> = {
  HardBounce: 'bounced_hard',
  BadEmailAddress: 'bounced_hard',
  SoftBounce: 'bounced_soft',
  DnsError: 'bounced_soft',
  SpamNotification: 'bounced_soft',
  Blocked: 'bounced_soft',
  DMARCPolicy: 'bounced_soft',
  Transient: 'deferred',
  ManuallyDeactivated: 'dropped',
  SpamComplaint: 'complained',
  Unsubscribe: 'unsubscribed',
}

/** Undefined for answers that say nothing about delivery, such as those of an absent recipient. */
function kindOf({ RecordType, Type = '', SuppressSending }: PostmarkEvent): ReportedKind | undefined {
  switch (RecordType) {
    case 'Delivery':
      return 'delivered'
    case 'Bounce':
      return bounces[Type]
    case 'SpamComplaint':
      return 'complained'
    case 'SubscriptionChange':
      return SuppressSending ? 'unsubscribed' : undefined
    case 'Open':
      return 'opened'
    case 'Click':
      return 'clicked'
    default:
      return undefined
  }
}

const causes: Readonly<Record<string, MessageReport['cause']>> = {
  BadEmailAddress: 'invalid_address',
  ManuallyDeactivated: 'suppressed_by_provider',
}

function parse(request: ReportRequest): readonly MessageReport[] {
  const event = jsonBody(request, reported)
  const kind = kindOf(event)
  if (kind === undefined) return []
  const { RecordType, ID, Type = '', Email, Recipient, Description, Details } = event
  return [
    {
      deliveryId: event.Metadata?.delivery_id,
      providerMessageId: event.MessageID,
      address: Email ?? Recipient,
      kind,
      at: timeOf(event.BouncedAt ?? event.DeliveredAt ?? event.ChangedAt ?? event.ReceivedAt, request.now),
      // Only bounces and complaints have an id.
      key:
        ID === undefined
          ? createHash('sha256').update(request.body).digest('base64url')
          : `${RecordType}/${String(ID)}`,
      detail: sentence(Description, Details),
      code: Type || undefined,
      cause: causes[Type],
    },
  ]
}

const receiver = createReceiver({
  proof: 'token',
  setting: null,
  verify({ request }) {
    if (!request.hasToken) throw unverified('its URL does not have the token of the integration')
  },
  parse,
})

const accepted = z.object({ MessageID: z.string() })

export const postmark = createProvider({
  settings,
  target: emailTarget,
  receiver,
  send({ settings: { apiKey, baseUrl, ...sender }, to: recipient, message, outbound }) {
    const { subject, html, text } = emailContent(message)
    const { from, to, cc, bcc, replyTo, headers } = emailEnvelope(message, sender, recipient)
    return exchange(message, outbound, {
      url: `${baseUrl}/email`,
      headers: { accept: 'application/json', 'x-postmark-server-token': apiKey },
      body: {
        From: formatAddress(from),
        To: unlessEmpty(to, formatAddress)?.join(', '),
        Cc: unlessEmpty(cc, formatAddress)?.join(', '),
        Bcc: unlessEmpty(bcc, formatAddress)?.join(', '),
        ReplyTo: unlessEmpty(replyTo, formatAddress)?.join(', '),
        Subject: subject,
        HtmlBody: html,
        TextBody: text,
        Headers: unlessEmpty(headers, ({ name, value }) => ({ Name: name, Value: value })),
        Attachments: unlessEmpty(filesOf(message, MAX_BYTES), (file) => ({
          Name: file.name,
          Content: base64Of(file),
          ContentType: file.contentType,
          ContentID: file.contentId && `cid:${file.contentId}`,
        })),
        ...(message.content.email && { Metadata: { delivery_id: message.deliveryId } }),
      },
      classify,
      findMessageId: ({ json }) => accepted.safeParse(json).data?.MessageID,
    })
  },
})
