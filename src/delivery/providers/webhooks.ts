// The generic providers: the message as JSON, to a URL of the integration or the endpoint.
import { z } from 'zod'
import { formatAddress } from '../../domain/channel/email-address.ts'
import { partsOf } from '../../domain/channel/email-envelope.ts'
import { webhookMethods } from '../../domain/channel/endpoint-type.ts'
import type { ResolvedTarget } from '../../domain/channel/provider-directory.ts'
import type { Message } from '../../engine/message.ts'
import { httpUrl, text } from '../../lib/validation.ts'
import { emailEnvelope, unlessEmpty } from '../provider-kit/content.ts'
import { base64Of, filesOf } from '../provider-kit/files.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { invalidCredentials, optional, plain, secret, secretSetting, setting } from '../provider-kit/credentials.ts'
import { exchange } from '../provider-kit/exchange.ts'
import type { TargetReader } from '../provider-kit/target.ts'

const settings = z.object({
  webhookUrl: optional(
    secretSetting(
      z.clone(httpUrl),
      'Webhook URL',
      'The URL that messages are sent to. Required unless the destination is a webhook.',
    ),
  ),
  baseUrl: optional(
    secretSetting(z.clone(httpUrl), 'Base URL', 'Another name of the webhook URL. Used if that is not set.'),
  ),
  method: optional(setting(z.enum(webhookMethods), 'Method', 'The HTTP method. POST by default.')),
  from: optional(setting(text(255, 1), 'From', 'The sender, sent as `from`.')),
  hmacSecretKey: optional(
    secret('Signing key', 'The key that signs the body. The header X-Signature-256 has the signature.'),
  ),
  apiKeyRequestHeader: optional(plain('API key header', 'The name of the header that has the API key.')),
  apiKey: optional(secret('API key', 'The value of that header.')),
  secretKeyRequestHeader: optional(plain('Secret key header', 'The name of the header that has the secret key.')),
  secretKey: optional(secret('Secret key', 'The value of that header.')),
})
type Settings = z.output<typeof settings>

interface Route {
  /** Undefined for the integration's URL. */
  readonly url?: string
  /** The recipient, for the receiver at that URL. Null if the URL itself is the recipient. */
  readonly to: string | null
  readonly method?: (typeof webhookMethods)[number] | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

function findRoute(target: ResolvedTarget): Route | undefined {
  switch (target.kind) {
    case 'email':
      return { to: target.address }
    case 'phone':
      return { to: target.phoneNumber }
    case 'device':
      return { to: target.token }
    case 'webhook':
      return { url: target.url, to: null }
    case 'endpoint':
      break
  }
  const { endpoint } = target
  if (endpoint.type === 'phone') return { to: endpoint.phoneNumber }
  if (endpoint.type === 'webhook') return { url: endpoint.url, to: endpoint.channel ?? null }
  if (endpoint.type !== 'tool_webhook') return undefined
  return { url: endpoint.url, to: null, method: endpoint.method, headers: endpoint.headers }
}

const anyTarget: TargetReader<Route> = {
  kinds: ['email', 'phone', 'webhook', 'device'],
  endpointTypes: ['phone', 'webhook', 'tool_webhook'],
  served: 'a webhook, phone number, email address or device',
  find: findRoute,
}

function keyHeaders({ apiKeyRequestHeader, apiKey, secretKeyRequestHeader, secretKey }: Settings) {
  const headers: Record<string, string> = {}
  if (apiKeyRequestHeader !== undefined && apiKey !== undefined) headers[apiKeyRequestHeader] = apiKey
  if (secretKeyRequestHeader !== undefined && secretKey !== undefined) headers[secretKeyRequestHeader] = secretKey
  return headers
}

/** The request body. It is documented in docs/providers.md: changing it breaks receivers. */
function bodyOf(message: Message, recipient: string | null, from: string | undefined) {
  const { deliveryId, channel, content, transactionId, workflow, subscriber, contextKeys, payload } = message
  const { email } = content
  const { to, cc, bcc, replyTo, headers, ...envelope } = emailEnvelope(message, { from: from ?? '' }, recipient)
  return {
    id: deliveryId,
    transactionId,
    channel,
    to: channel === 'email' ? (unlessEmpty(to, formatAddress)?.join(', ') ?? null) : recipient,
    from: email?.from?.address ?? from,
    senderName: envelope.from.name || undefined,
    cc: unlessEmpty(cc, formatAddress),
    bcc: unlessEmpty(bcc, formatAddress),
    replyTo: unlessEmpty(replyTo, formatAddress),
    headers: unlessEmpty(headers, (header) => header),
    subject: content.subject,
    content: email ? (partsOf(content).html ?? content.body) : content.body,
    text: email?.text,
    attachments: unlessEmpty(filesOf(message), (file) => ({
      name: file.name,
      contentType: file.contentType,
      size: file.bytes.byteLength,
      contentId: file.contentId,
      disposition: file.inline ? 'inline' : 'attachment',
      content: base64Of(file),
    })),
    incident: content.incident,
    workflow,
    subscriber,
    contextKeys,
    payload,
  }
}

/** Serves `email-webhook`, `generic-sms`, `push-webhook`, `chat-webhook` and `tool-webhook`. */
export const webhook = createProvider({
  settings,
  target: anyTarget,
  sometimes: [{ setting: 'webhookUrl', or: ['baseUrl'], unless: 'the destination is a webhook' }],
  send({ settings: given, to: { url = given.webhookUrl ?? given.baseUrl, to, method, headers }, message, outbound }) {
    if (url === undefined) throw invalidCredentials('webhookUrl is required')
    return exchange(message, outbound, {
      url,
      method: method ?? given.method,
      headers: { ...keyHeaders(given), ...headers },
      body: bodyOf(message, to, given.from),
      hmacKey: given.hmacSecretKey,
    })
  },
})
