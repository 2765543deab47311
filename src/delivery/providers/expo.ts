// Expo: push notifications by the Push API.
import { z } from 'zod'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, optional, secret } from '../provider-kit/credentials.ts'
import { bearer, exchange, type Rejection } from '../provider-kit/exchange.ts'
import { deviceTarget } from '../provider-kit/target.ts'

const settings = z.object({
  apiKey: optional(secret('Access token', 'Required if the account enforces access tokens.')),
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

export const expo = createProvider({
  settings,
  target: deviceTarget,
  send({ settings: { apiKey, baseUrl }, to, message, outbound }) {
    const { content, payload } = message
    return exchange(message, outbound, {
      url: `${baseUrl}/--/api/v2/push/send`,
      headers: apiKey === undefined ? {} : bearer(apiKey),
      body: { to: to, title: content.subject ?? undefined, body: content.body, data: payload },
      rejection,
    })
  },
})
