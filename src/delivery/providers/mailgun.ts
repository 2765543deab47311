// Mailgun: email by the Messages API, and reports by webhooks.
import { z } from 'zod'
import type { MessageReport, ReportedKind, ReportRequest } from '../../domain/channel/delivery-report.ts'
import { formatAddress } from '../../domain/channel/email-address.ts'
import { emailContent, emailEnvelope } from '../provider-kit/content.ts'
import { filesOf, Multipart } from '../provider-kit/files.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, plain, secret, sender, webhookSigningKey } from '../provider-kit/credentials.ts'
import { basic, exchange } from '../provider-kit/exchange.ts'
import { namesDelivery } from '../provider-kit/named-delivery.ts'
import {
  assertRecent,
  createReceiver,
  hmac,
  isSame,
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
  domain: plain('Domain', 'The domain that the messages are sent from.'),
  webhookSigningKey: webhookSigningKey('the HTTP webhook signing key of the account, which is not an API key'),
  baseUrl: baseUrl(
    'https://api.mailgun.net',
    "The URL of the provider's API: `https://api.eu.mailgun.net` for domains in the EU region.",
  ),
})

/** Seconds after which the signature of a request is too old. */
const TOLERANCE = 15 * 60

const signed = z.object({
  signature: z.object({ timestamp: z.coerce.string(), token: z.string(), signature: z.string() }),
})

const reported = z.object({
  'event-data': z.object({
    id: z.string(),
    event: z.string(),
    timestamp: z.number().optional(),
    recipient: z.string().optional(),
    severity: z.string().optional(),
    reason: z.string().optional(),
    message: z.object({ headers: z.object({ 'message-id': z.string().optional() }).optional() }).optional(),
    // A list if there are none.
    'user-variables': z.object({ delivery_id: z.string().optional() }).optional().catch(undefined),
    'delivery-status': z
      .object({
        code: z.union([z.number(), z.string()]).optional(),
        message: z.string().nullish(),
        description: z.string().nullish(),
      })
      .optional(),
  }),
})

type MailgunEvent = z.output<typeof reported>['event-data']

/** The signature covers neither the event nor anything else of the body: the token must not be accepted twice. */
function verify(reporting: Reporting): void {
  const { request } = reporting
  const { timestamp, token, signature } = jsonBody(request, signed).signature
  const expected = hmac('sha256', keySetting(reporting), timestamp, token).digest('hex')
  if (!isSame(signature, expected)) throw unverified('its signature is wrong')
  assertRecent(timestamp, request.now, TOLERANCE)
}

const kinds: Readonly<Record<string, ReportedKind | undefined>> = {
  accepted: 'accepted',
  delivered: 'delivered',
  complained: 'complained',
  unsubscribed: 'unsubscribed',
  opened: 'opened',
  clicked: 'clicked',
}

function kindOf({ event, severity, reason = '' }: MailgunEvent): ReportedKind | undefined {
  if (event !== 'failed') return kinds[event]
  if (severity === 'temporary') return 'deferred'
  if (reason.startsWith('suppress-')) return 'dropped'
  return reason === 'bounce' ? 'bounced_hard' : 'bounced_soft'
}

function parse(request: ReportRequest): readonly MessageReport[] {
  const event = jsonBody(request, reported)['event-data']
  const kind = kindOf(event)
  if (kind === undefined) return []
  const { code, message, description } = event['delivery-status'] ?? {}
  return [
    {
      deliveryId: event['user-variables']?.delivery_id,
      providerMessageId: event.message?.headers?.['message-id'],
      address: event.recipient,
      kind,
      at: timeOf(event.timestamp, request.now),
      key: event.id,
      detail: sentence(description || message || event.reason),
      code: code === undefined ? undefined : String(code),
      cause: kind === 'dropped' ? 'suppressed_by_provider' : undefined,
    },
  ]
}

const receiver = createReceiver({
  proof: 'signing_key',
  setting: 'webhookSigningKey',
  verify,
  parse,
  onceOf(request) {
    const { token, timestamp } = jsonBody(request, signed).signature
    return { token, until: new Date((Number(timestamp) + TOLERANCE) * 1000) }
  },
})

const accepted = z.object({ id: z.string() })

export const mailgun = createProvider({
  settings,
  target: emailTarget,
  receiver,
  send({ settings: { apiKey, domain, baseUrl, ...sender }, to: recipient, message, outbound }) {
    const { subject, html, text } = emailContent(message)
    const { from, to, cc, bcc, replyTo, headers } = emailEnvelope(message, sender, recipient)
    const body = new URLSearchParams({ from: formatAddress(from), subject, text })
    if (html !== undefined) body.set('html', html)
    for (const [name, addresses] of Object.entries({ to, cc, bcc, 'h:Reply-To': replyTo })) {
      if (addresses.length > 0) body.set(name, addresses.map(formatAddress).join(', '))
    }
    for (const { name, value } of headers) body.set(`h:${name}`, value)
    if (namesDelivery(message)) body.set('v:delivery_id', message.deliveryId)
    const files = filesOf(message)
    return exchange(message, outbound, {
      url: `${baseUrl}/v3/${encodeURIComponent(domain)}/messages`,
      headers: basic('api', apiKey),
      body: files.length === 0 ? body : new Multipart(`gateway-${message.deliveryId}`, body, files),
      // In angle brackets, unlike in reports.
      findMessageId: ({ json }) => accepted.safeParse(json).data?.id.replaceAll(/^<|>$/g, ''),
    })
  },
})
