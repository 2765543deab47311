// Slack: an incoming webhook, or a bot that posts to a channel or a person.
import { z } from 'zod'
import { textContent } from '../content.ts'
import { baseUrl, parseCredentials, secret } from '../credentials.ts'
import { bearer, exchange, type Objection } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { endpointOf } from '../target.ts'
import { incomingWebhook } from './incoming-webhooks.ts'

const settings = z.object({ botToken: secret, baseUrl: baseUrl('https://slack.com') })

/** Slack says with status 200 that it did not take a message. */
const refusal = z.object({ ok: z.literal(false), error: z.string() })

/** What may be over the next time. Everything else, such as `channel_not_found`, stays. */
const passing: ReadonlySet<string> = new Set([
  'fatal_error',
  'internal_error',
  'message_limit_exceeded',
  'rate_limited',
  'ratelimited',
  'request_timeout',
  'service_unavailable',
])

function objection(answer: unknown): Objection | undefined {
  const { data } = refusal.safeParse(answer)
  return data && { reason: data.error, permanent: !passing.has(data.error) }
}

const postToWebhook = incomingWebhook((text) => ({ text }))

const postAsBot: Provider = (envelope, outbound) => {
  const { botToken, baseUrl } = parseCredentials(envelope, settings)
  const endpoint = endpointOf(envelope, 'workspace_chat_channel', 'workspace_chat_user')
  const channel = endpoint.type === 'workspace_chat_user' ? endpoint.userId : endpoint.channelId
  return exchange(envelope, outbound, {
    url: `${baseUrl}/api/chat.postMessage`,
    headers: { ...bearer(botToken), 'content-type': 'application/json; charset=utf-8' },
    body: { channel, text: textContent(envelope) },
    objection,
  })
}

export const slack: Provider = (envelope, outbound) => {
  const { target } = envelope
  const isWebhook = target.kind === 'webhook' || (target.kind === 'endpoint' && target.endpoint.type === 'webhook')
  return (isWebhook ? postToWebhook : postAsBot)(envelope, outbound)
}
