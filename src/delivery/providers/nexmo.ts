// Vonage, formerly Nexmo: text messages by the SMS API.
import { z } from 'zod'
import { textContent } from '../content.ts'
import { baseUrl, parseCredentials, secret } from '../credentials.ts'
import { exchange, type Rejection } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { phoneTarget } from '../target.ts'

const settings = z.object({
  apiKey: secret,
  secretKey: secret,
  from: secret,
  baseUrl: baseUrl('https://rest.nexmo.com'),
})

/** The HTTP status is 200 even for errors. Each part of the message has its own status. */
const parts = z.object({ messages: z.array(z.object({ status: z.string(), 'error-text': z.string().optional() })) })

const ACCEPTED = '0'
/** Throttled, and internal error. */
const temporary: ReadonlySet<string> = new Set(['1', '5'])

function rejection(json: unknown): Rejection | undefined {
  const rejected = parts.safeParse(json).data?.messages.find(({ status }) => status !== ACCEPTED)
  if (rejected === undefined) return undefined
  return { reason: rejected['error-text'] ?? `status ${rejected.status}`, permanent: !temporary.has(rejected.status) }
}

export const nexmo: Provider = (message, outbound) => {
  const { apiKey, secretKey, from, baseUrl } = parseCredentials(message, settings)
  const text = textContent(message)
  return exchange(message, outbound, {
    url: `${baseUrl}/sms/json`,
    body: new URLSearchParams({
      api_key: apiKey,
      api_secret: secretKey,
      from,
      to: phoneTarget(message).replace(/^\+/, ''),
      text,
      // The default type loses characters outside of the GSM alphabet, which has no backtick.
      ...(/^[\n\x20-_a-~]*$/.test(text) ? {} : { type: 'unicode' }),
    }),
    rejection,
  })
}
