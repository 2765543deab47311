// The generic providers: the message as JSON, to a URL of the integration or the endpoint.
import { z } from 'zod'
import { webhookMethods } from '../../domain/endpoint-type.ts'
import type { Message } from '../../engine/message.ts'
import { httpUrl, text } from '../../lib/validation.ts'
import { invalidCredentials, optional, parseCredentials, secret } from '../credentials.ts'
import { exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { misdirected } from '../target.ts'

const settings = z.object({
  webhookUrl: optional(httpUrl),
  /** The name of `webhookUrl` for text messages. */
  baseUrl: optional(httpUrl),
  method: optional(z.enum(webhookMethods)),
  from: optional(text(255, 1)),
  hmacSecretKey: optional(secret),
  /** Names of two headers, and their values. */
  apiKeyRequestHeader: optional(secret),
  apiKey: optional(secret),
  secretKeyRequestHeader: optional(secret),
  secretKey: optional(secret),
})
type Settings = z.output<typeof settings>

interface Route {
  readonly url: string | undefined
  /** The recipient for the receiver at that URL. Null if the URL is the recipient. */
  readonly to: string | null
  readonly method?: (typeof webhookMethods)[number] | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

function routeOf({ target }: Message, { webhookUrl, baseUrl }: Settings): Route {
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
  throw misdirected(target, 'a webhook, phone number, email address or device')
}

function keyHeaders({ apiKeyRequestHeader, apiKey, secretKeyRequestHeader, secretKey }: Settings) {
  const headers: Record<string, string> = {}
  if (apiKeyRequestHeader !== undefined && apiKey !== undefined) headers[apiKeyRequestHeader] = apiKey
  if (secretKeyRequestHeader !== undefined && secretKey !== undefined) headers[secretKeyRequestHeader] = secretKey
  return headers
}

/** The request body. It is documented in docs/providers.md: changing it breaks receivers. */
function bodyOf(message: Message, to: string | null, from: string | undefined) {
  const { deliveryId, channel, content, transactionId, workflow, subscriber, contextKeys, payload } = message
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

/** Serves `email-webhook`, `generic-sms`, `push-webhook`, `chat-webhook` and `tool-webhook`. */
export const webhook: Provider = (message, outbound) => {
  const given = parseCredentials(message, settings)
  const { url, to, method, headers } = routeOf(message, given)
  if (url === undefined) {
    throw invalidCredentials('webhookUrl is required')
  }
  return exchange(message, outbound, {
    url,
    method: method ?? given.method,
    headers: { ...keyHeaders(given), ...headers },
    body: bodyOf(message, to, given.from),
    hmacKey: given.hmacSecretKey,
  })
}
