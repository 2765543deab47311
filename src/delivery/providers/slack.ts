// Slack: messages by an incoming webhook, or by a bot to a channel or user.
import { z } from 'zod'
import { textContent } from '../content.ts'
import { baseUrl, parseCredentials, secret } from '../credentials.ts'
import { bearer, exchange, type Rejection } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { endpointTarget } from '../target.ts'
import { incomingWebhook } from './incoming-webhooks.ts'

const settings = z.object({ botToken: secret, baseUrl: baseUrl('https://slack.com') })

/** The HTTP status is 200 even for errors. */
const failed = z.object({ ok: z.literal(false), error: z.string() })

/** Errors that are worth another attempt. All others, such as `channel_not_found`, are permanent. */
const temporary: ReadonlySet<string> = new Set([
  'fatal_error',
  'internal_error',
  'message_limit_exceeded',
  'rate_limited',
  'ratelimited',
  'request_timeout',
  'service_unavailable',
])

function rejection(json: unknown): Rejection | undefined {
  const { data } = failed.safeParse(json)
  return data && { reason: data.error, permanent: !temporary.has(data.error) }
}

const postToWebhook = incomingWebhook((text) => ({ text }))

const postAsBot: Provider = (message, outbound) => {
  const { botToken, baseUrl } = parseCredentials(message, settings)
  const endpoint = endpointTarget(message, 'workspace_chat_channel', 'workspace_chat_user')
  const channel = endpoint.type === 'workspace_chat_user' ? endpoint.userId : endpoint.channelId
  return exchange(message, outbound, {
    url: `${baseUrl}/api/chat.postMessage`,
    headers: { ...bearer(botToken), 'content-type': 'application/json; charset=utf-8' },
    body: { channel, text: textContent(message) },
    rejection,
  })
}

export const slack: Provider = (message, outbound) => {
  const { target } = message
  const isWebhook = target.kind === 'webhook' || (target.kind === 'endpoint' && target.endpoint.type === 'webhook')
  return (isWebhook ? postToWebhook : postAsBot)(message, outbound)
}
