// Telnyx: text messages by the Messaging API, and reports and replies by webhooks.
import { createPublicKey, verify as verifySignature } from 'node:crypto'
import { z } from 'zod'
import type { MessageReport, ReportedKind, ReportRequest } from '../../domain/channel/delivery-report.ts'
import type { InboundText, TextKeyword } from '../../domain/channel/inbound-text.ts'
import { textContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, optional, plain, secret, webhookSigningKey } from '../provider-kit/credentials.ts'
import { bearer, exchange } from '../provider-kit/exchange.ts'
import type { ProviderAnswer, Verdict } from '../provider-kit/failure-class.ts'
import {
  assertRecent,
  createReceiver,
  jsonBody,
  keySetting,
  type Reporting,
  sentence,
  timeOf,
  unverified,
} from '../provider-kit/report.ts'
import { phoneTarget } from '../provider-kit/target.ts'

const settings = z.object({
  apiKey: secret('API key', 'The API key of the account.'),
  from: plain('From', 'The phone number or the name of the sender.'),
  messageProfileId: optional(plain('Messaging profile', 'The id of the messaging profile.')),
  webhookSigningKey: webhookSigningKey('the public key of the account, in base64'),
  baseUrl: baseUrl('https://api.telnyx.com'),
})

const failed = z.object({ errors: z.array(z.object({ code: z.coerce.string() })).min(1) })

/** The recipient has replied with STOP to the sender. */
const OPTED_OUT = '40300'

function classify({ json }: ProviderAnswer): Verdict | undefined {
  const { data } = failed.safeParse(json)
  const isOptedOut = data?.errors.some(({ code }) => code === OPTED_OUT)
  return isOptedOut ? { class: 'suppressed', reason: `error ${OPTED_OUT}` } : undefined
}

/** Seconds that a report may be late. */
const TOLERANCE = 300

/** What precedes the 32 bytes of an Ed25519 key in its DER form (RFC 8410, section 4). */
const derPrefix = Buffer.from('302a300506032b6570032100', 'hex')

/** @throws Refusal `UNAUTHENTICATED` if the setting is not an Ed25519 key. */
function publicKeyOf(reporting: Reporting) {
  const bytes = Buffer.from(keySetting(reporting), 'base64')
  if (bytes.length !== 32) throw unverified('webhookSigningKey is not an Ed25519 public key')
  return createPublicKey({ key: Buffer.concat([derPrefix, bytes]), format: 'der', type: 'spki' })
}

function verify(reporting: Reporting): void {
  const { request } = reporting
  const timestamp = request.header('telnyx-timestamp') ?? ''
  const signature = Buffer.from(request.header('telnyx-signature-ed25519') ?? '', 'base64')
  const signed = Buffer.concat([Buffer.from(`${timestamp}|`), request.body])
  if (!verifySignature(null, signed, publicKeyOf(reporting), signature)) throw unverified('its signature is wrong')
  assertRecent(timestamp, request.now, TOLERANCE)
}

const event = z.object({
  data: z.object({
    event_type: z.string(),
    id: z.string().min(1),
    occurred_at: z.string().optional(),
    payload: z.object({
      id: z.string().min(1),
      text: z.string().nullish(),
      from: z.object({ phone_number: z.string() }).optional(),
      to: z
        .array(z.object({ phone_number: z.string().optional(), status: z.string().optional() }))
        .catch([])
        .default([]),
      errors: z
        .array(z.object({ code: z.coerce.string(), title: z.string().optional(), detail: z.string().optional() }))
        .nullish()
        .catch(undefined),
      autoresponse_type: z.string().nullish().catch(undefined),
    }),
  }),
})

/** By the status of the recipient. Statuses that say nothing about the message are absent. */
const kinds: Readonly<Record<string, ReportedKind | undefined>> = {
  sent: 'accepted',
  delivered: 'delivered',
  sending_failed: 'bounced_soft',
  delivery_failed: 'bounced_soft',
}

function parse(request: ReportRequest): readonly MessageReport[] {
  const { event_type: type, id: key, occurred_at: at, payload } = jsonBody(request, event).data
  if (type !== 'message.sent' && type !== 'message.finalized') return []
  const [recipient] = payload.to
  const [error] = payload.errors ?? []
  const isOptedOut = error?.code === OPTED_OUT
  const kind = isOptedOut ? 'dropped' : kinds[recipient?.status ?? '']
  if (kind === undefined) return []
  return [
    {
      deliveryId: undefined,
      providerMessageId: payload.id,
      address: recipient?.phone_number,
      kind,
      at: timeOf(at, request.now),
      key,
      detail: sentence(error?.detail ?? error?.title),
      code: error?.code,
      cause: isOptedOut ? 'suppressed_by_provider' : undefined,
    },
  ]
}

/** The keywords that Telnyx has answered itself. */
const answered: Readonly<Record<string, TextKeyword | undefined>> = { STOP: 'stop', START: 'start', HELP: 'help' }

function parseTexts(request: ReportRequest): readonly InboundText[] {
  const { event_type: type, payload } = jsonBody(request, event).data
  const { id: key, from, to, text, autoresponse_type: answer } = payload
  const [recipient] = to
  if (type !== 'message.received' || from === undefined || recipient?.phone_number === undefined) return []
  return [
    {
      key,
      from: from.phone_number,
      to: recipient.phone_number,
      text: text ?? '',
      optOutType: answered[answer?.toUpperCase() ?? ''],
    },
  ]
}

const receiver = createReceiver({ proof: 'signing_key', setting: 'webhookSigningKey', verify, parse, parseTexts })

const accepted = z.object({ data: z.object({ id: z.string() }) })

export const telnyx = createProvider({
  settings,
  target: phoneTarget,
  receiver,
  send({ settings: { apiKey, from, messageProfileId, baseUrl }, to, message, outbound }) {
    return exchange(message, outbound, {
      url: `${baseUrl}/v2/messages`,
      headers: bearer(apiKey),
      body: { from, to: to, text: textContent(message), messaging_profile_id: messageProfileId },
      classify,
      findMessageId: ({ json }) => accepted.safeParse(json).data?.data.id,
    })
  },
})
