// Resend: email by the Emails API, which deduplicates by Idempotency-Key, and reports by webhooks.
import { z } from 'zod'
import type { MessageReport, ReportedKind, ReportRequest } from '../../domain/channel/delivery-report.ts'
import { formatAddress } from '../../domain/channel/email-address.ts'
import { emailContent, emailEnvelope, headersByName, unlessEmpty } from '../provider-kit/content.ts'
import { base64Of, filesOf } from '../provider-kit/files.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, secret, sender, webhookSigningKey } from '../provider-kit/credentials.ts'
import { bearer, exchange } from '../provider-kit/exchange.ts'
import type { ProviderAnswer, Verdict } from '../provider-kit/failure-class.ts'
import { namesDelivery } from '../provider-kit/named-delivery.ts'
import { createReceiver, jsonBody, keySetting, sentence, timeOf } from '../provider-kit/report.ts'
import { verifyStandardWebhook } from '../provider-kit/standard-webhook.ts'
import { emailTarget } from '../provider-kit/target.ts'

const settings = sender.extend({
  apiKey: secret('API key', 'The API key of the account.'),
  webhookSigningKey: webhookSigningKey('the signing secret of the webhook, which begins with `whsec_`'),
  baseUrl: baseUrl('https://api.resend.com'),
})

const failed = z.object({ name: z.string() })

function classify({ status, json }: ProviderAnswer): Verdict | undefined {
  const reason = failed.safeParse(json).data?.name
  if (reason === undefined) return undefined
  // The request of an earlier attempt, which timed out, is still in progress.
  if (reason === 'concurrent_idempotent_requests') return { class: 'unavailable', reason }
  if (reason === 'invalid_api_key') return { class: 'credentials', reason }
  // The sender is not verified, or a quota of the account is used up.
  if (status === 403 || /^(daily|monthly)_quota_exceeded$/.test(reason)) return { class: 'account', reason }
  return undefined
}

const tag = z.object({ name: z.string(), value: z.string() })

const reported = z.object({
  type: z.string(),
  created_at: z.string().optional(),
  data: z.object({
    email_id: z.string().optional(),
    to: z.array(z.string()).optional(),
    tags: z
      .union([z.array(tag), z.record(z.string(), z.string())])
      .nullish()
      .catch(undefined),
    bounce: z
      .object({ message: z.string().optional(), type: z.string().optional(), subType: z.string().optional() })
      .nullish(),
    failed: z.object({ reason: z.string().optional() }).nullish(),
    suppressed: z.object({ message: z.string().optional() }).nullish(),
  }),
})

type ResendEvent = z.output<typeof reported>

const kinds: Readonly<Record<string, ReportedKind | undefined>> = {
  'email.sent': 'accepted',
  'email.delivered': 'delivered',
  'email.delivery_delayed': 'deferred',
  'email.bounced': 'bounced_hard',
  'email.complained': 'complained',
  'email.failed': 'dropped',
  'email.suppressed': 'dropped',
  'email.opened': 'opened',
  'email.clicked': 'clicked',
}

function kindOf({ type, data: { bounce } }: ResendEvent): ReportedKind | undefined {
  const isSoft = type === 'email.bounced' && bounce?.type !== undefined && bounce.type !== 'Permanent'
  return isSoft ? 'bounced_soft' : kinds[type]
}

function deliveryIdOf({ data: { tags } }: ResendEvent): string | undefined {
  return Array.isArray(tags) ? tags.find(({ name }) => name === 'delivery_id')?.value : tags?.['delivery_id']
}

function parse(request: ReportRequest): readonly MessageReport[] {
  const event = jsonBody(request, reported)
  const kind = kindOf(event)
  if (kind === undefined) return []
  const { to = [], bounce, failed: failure, suppressed } = event.data
  return [
    {
      deliveryId: deliveryIdOf(event),
      providerMessageId: event.data.email_id,
      // Of several, the report does not say which one.
      address: to.length === 1 ? to[0] : undefined,
      kind,
      at: timeOf(event.created_at, request.now),
      key: request.header('svix-id') ?? '',
      detail: sentence(bounce?.message, failure?.reason, suppressed?.message),
      code: bounce?.subType,
      cause: event.type === 'email.suppressed' ? 'suppressed_by_provider' : undefined,
    },
  ]
}

const receiver = createReceiver({
  proof: 'signing_key',
  setting: 'webhookSigningKey',
  verify: (reporting) => verifyStandardWebhook(reporting.request, keySetting(reporting), 'svix'),
  parse,
})

const accepted = z.object({ id: z.string() })

export const resend = createProvider({
  settings,
  target: emailTarget,
  receiver,
  send({ settings: { apiKey, baseUrl, ...sender }, to: recipient, message, outbound }) {
    const { from, to, cc, bcc, replyTo, headers } = emailEnvelope(message, sender, recipient)
    return exchange(message, outbound, {
      url: `${baseUrl}/emails`,
      headers: bearer(apiKey),
      body: {
        from: formatAddress(from),
        to: unlessEmpty(to, formatAddress),
        cc: unlessEmpty(cc, formatAddress),
        bcc: unlessEmpty(bcc, formatAddress),
        reply_to: unlessEmpty(replyTo, formatAddress),
        ...emailContent(message),
        headers: headersByName(headers),
        attachments: unlessEmpty(filesOf(message), (file) => ({
          filename: file.name,
          content: base64Of(file),
          content_type: file.contentType,
          content_id: file.contentId,
        })),
        ...(namesDelivery(message) && { tags: [{ name: 'delivery_id', value: message.deliveryId }] }),
      },
      classify,
      findMessageId: ({ json }) => accepted.safeParse(json).data?.id,
    })
  },
})
