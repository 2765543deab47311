// Expo: push notifications by the Push API.
import { z } from 'zod'
import { baseUrl, optional, parseCredentials, secret } from '../credentials.ts'
import { bearer, exchange, type Rejection } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { deviceTarget } from '../target.ts'

const settings = z.object({
  /** Required if the account enforces access tokens. */
  apiKey: optional(secret),
  baseUrl: baseUrl('https://exp.host'),
})

const failed = z.object({
  data: z.object({
    status: z.literal('error'),
    message: z.string().optional(),
    details: z.object({ error: z.string().optional() }).optional(),
  }),
})

function rejection(json: unknown): Rejection | undefined {
  const { data } = failed.safeParse(json)
  if (data === undefined) return undefined
  const { message, details } = data.data
  return { reason: details?.error ?? message ?? 'an error', permanent: details?.error !== 'MessageRateExceeded' }
}

export const expo: Provider = (message, outbound) => {
  const { apiKey, baseUrl } = parseCredentials(message, settings)
  const { content, payload } = message
  return exchange(message, outbound, {
    url: `${baseUrl}/--/api/v2/push/send`,
    headers: apiKey === undefined ? {} : bearer(apiKey),
    body: { to: deviceTarget(message), title: content.subject ?? undefined, body: content.body, data: payload },
    rejection,
  })
}
