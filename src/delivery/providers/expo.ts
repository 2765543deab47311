// Expo: a push notification to a device.
import { z } from 'zod'
import { baseUrl, optional, parseCredentials, secret } from '../credentials.ts'
import { bearer, exchange, type Objection } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { deviceOf } from '../target.ts'

const settings = z.object({
  /** Needed where the account asks for one. */
  apiKey: optional(secret),
  baseUrl: baseUrl('https://exp.host'),
})

const refusal = z.object({
  data: z.object({
    status: z.literal('error'),
    message: z.string().optional(),
    details: z.object({ error: z.string().optional() }).optional(),
  }),
})

function objection(answer: unknown): Objection | undefined {
  const { data } = refusal.safeParse(answer)
  if (data === undefined) return undefined
  const { message, details } = data.data
  return { reason: details?.error ?? message ?? 'an error', permanent: details?.error !== 'MessageRateExceeded' }
}

export const expo: Provider = (envelope, outbound) => {
  const { apiKey, baseUrl } = parseCredentials(envelope, settings)
  const { content, payload } = envelope
  return exchange(envelope, outbound, {
    url: `${baseUrl}/--/api/v2/push/send`,
    headers: apiKey === undefined ? {} : bearer(apiKey),
    body: { to: deviceOf(envelope), title: content.subject ?? undefined, body: content.body, data: payload },
    objection,
  })
}
