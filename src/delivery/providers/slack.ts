// Slack: messages by an incoming webhook, or by a bot to a channel or user.
import { z } from 'zod'
import { textContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, invalidCredentials, optional, secret, slackConnectSettings } from '../provider-kit/credentials.ts'
import { bearer, exchange } from '../provider-kit/exchange.ts'
import type { ProviderAnswer, Verdict } from '../provider-kit/failure-class.ts'
import { connectionOfTarget, eitherTarget, endpointTarget, webhookTarget } from '../provider-kit/target.ts'
import { postToWebhook } from './incoming-webhooks.ts'

const unless = 'the destination is a webhook or an endpoint with a channel connection'

const settings = z.object({
  botToken: optional(
    secret('Bot token', `The token of the bot, for endpoints without a channel connection. Required unless ${unless}.`),
  ),
  ...slackConnectSettings,
  baseUrl: baseUrl('https://slack.com'),
})

/** The HTTP status is 200 even for errors. */
const failed = z.object({ ok: z.literal(false), error: z.string() })

/** Errors after which another attempt is worthwhile. All others, such as `channel_not_found`, are permanent. */
const temporary: ReadonlySet<string> = new Set([
  'fatal_error',
  'internal_error',
  'message_limit_exceeded',
  'rate_limited',
  'ratelimited',
  'request_timeout',
  'service_unavailable',
])

/** Errors of the bot token. */
const ofCredentials: ReadonlySet<string> = new Set([
  'account_inactive',
  'invalid_auth',
  'missing_scope',
  'no_permission',
  'not_authed',
  'token_expired',
  'token_revoked',
])

function classOf(error: string): Verdict['class'] {
  if (temporary.has(error)) return 'unavailable'
  return ofCredentials.has(error) ? 'credentials' : 'recipient'
}

function classify({ json }: ProviderAnswer): Verdict | undefined {
  const { data } = failed.safeParse(json)
  return data && { class: classOf(data.error), reason: data.error }
}

export const slack = createProvider({
  settings,
  target: eitherTarget(webhookTarget, endpointTarget('workspace_chat_channel', 'workspace_chat_user')),
  sometimes: [{ setting: 'botToken', unless }],
  send({ settings: { botToken, baseUrl }, to, message, outbound }) {
    if ('url' in to) return postToWebhook(to, message, outbound, (text) => ({ text }))
    const token = connectionOfTarget(message.target)?.accessToken ?? botToken
    if (token === undefined) throw invalidCredentials('botToken is required')
    const channel = to.type === 'workspace_chat_user' ? to.userId : to.channelId
    return exchange(message, outbound, {
      url: `${baseUrl}/api/chat.postMessage`,
      headers: { ...bearer(token), 'content-type': 'application/json; charset=utf-8' },
      body: { channel, text: textContent(message) },
      classify,
    })
  },
})
