// The generic providers: the message as JSON, to an address that the integration or the endpoint names.
import { z } from 'zod'
import { webhookMethods } from '../../domain/endpoint-type.ts'
import { httpUrl, text } from '../../lib/validation.ts'
import { optional, parseCredentials, secret } from '../credentials.ts'
import { exchange } from '../exchange.ts'
import { DeliveryFailure, type Envelope, type Provider } from '../provider.ts'
import { misdirected } from '../target.ts'

const settings = z.object({
  webhookUrl: optional(httpUrl),
  /** The same by the name that text messages have it under. */
  baseUrl: optional(httpUrl),
  method: optional(z.enum(webhookMethods)),
  from: optional(text(255, 1)),
  hmacSecretKey: optional(secret),
  /** Names of headers, and what is sent in them. */
  apiKeyRequestHeader: optional(secret),
  apiKey: optional(secret),
  secretKeyRequestHeader: optional(secret),
  secretKey: optional(secret),
})
type Settings = z.output<typeof settings>

interface Destination {
  readonly url: string | undefined
  /** Whom it is for behind that address; null where the address says it all. */
  readonly to: string | null
  readonly method?: (typeof webhookMethods)[number] | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

function destinationOf({ target }: Envelope, { webhookUrl, baseUrl }: Settings): Destination {
  const url = webhookUrl ?? baseUrl
  switch (target.kind) {
    case 'email':
      return { url, to: target.address }
    case 'phone':
      return { url, to: target.phoneNumber }
    case 'device':
      return { url, to: target.token }
    case 'webhook':
      return { url: target.url, to: null }
    case 'endpoint':
      break
  }
  const { endpoint } = target
  if (endpoint.type === 'phone') return { url, to: endpoint.phoneNumber }
  if (endpoint.type === 'webhook') return { url: endpoint.url, to: endpoint.channel ?? null }
  if (endpoint.type === 'tool_webhook') {
    return { url: endpoint.url, to: null, method: endpoint.method, headers: endpoint.headers }
  }
  throw misdirected(target, 'a webhook, or to what its own webhook understands')
}

function keyHeaders({ apiKeyRequestHeader, apiKey, secretKeyRequestHeader, secretKey }: Settings) {
  const headers: Record<string, string> = {}
  if (apiKeyRequestHeader !== undefined && apiKey !== undefined) headers[apiKeyRequestHeader] = apiKey
  if (secretKeyRequestHeader !== undefined && secretKey !== undefined) headers[secretKeyRequestHeader] = secretKey
  return headers
}

/** What the receiver gets. The README shows it: a change here is a change for every receiver. */
function bodyOf(envelope: Envelope, to: string | null, from: string | undefined) {
  const { deliveryId, channel, content, transactionId, workflow, subscriber, contextKeys, payload } = envelope
  return {
    id: deliveryId,
    transactionId,
    channel,
    to,
    from,
    subject: content.subject,
    content: content.body,
    workflow,
    subscriber,
    contextKeys,
    payload,
  }
}

/** `email-webhook`, `generic-sms`, `push-webhook`, `chat-webhook` and `tool-webhook`. */
export const webhook: Provider = (envelope, outbound) => {
  const given = parseCredentials(envelope, settings)
  const { url, to, method, headers } = destinationOf(envelope, given)
  if (url === undefined) {
    const message = 'The credentials of the integration do not do: webhookUrl is required'
    throw new DeliveryFailure(message, { permanent: true })
  }
  return exchange(envelope, outbound, {
    url,
    method: method ?? given.method,
    headers: { ...keyHeaders(given), ...headers },
    body: bodyOf(envelope, to, given.from),
    hmacKey: given.hmacSecretKey,
  })
}
