// Vonage, once Nexmo: text messages by the SMS API.
import { z } from 'zod'
import { textContent } from '../content.ts'
import { baseUrl, parseCredentials, secret } from '../credentials.ts'
import { exchange, type Objection } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { phoneOf } from '../target.ts'

const settings = z.object({
  apiKey: secret,
  secretKey: secret,
  from: secret,
  baseUrl: baseUrl('https://rest.nexmo.com'),
})

/** Each part of the message has a status of its own, under an HTTP status of 200. */
const parts = z.object({ messages: z.array(z.object({ status: z.string(), 'error-text': z.string().optional() })) })

const TAKEN = '0'
/** Throttled, and an error of the platform. */
const passing: ReadonlySet<string> = new Set(['1', '5'])

function objection(answer: unknown): Objection | undefined {
  const refused = parts.safeParse(answer).data?.messages.find(({ status }) => status !== TAKEN)
  if (refused === undefined) return undefined
  return { reason: refused['error-text'] ?? `status ${refused.status}`, permanent: !passing.has(refused.status) }
}

export const nexmo: Provider = (envelope, outbound) => {
  const { apiKey, secretKey, from, baseUrl } = parseCredentials(envelope, settings)
  const text = textContent(envelope)
  return exchange(envelope, outbound, {
    url: `${baseUrl}/sms/json`,
    body: new URLSearchParams({
      api_key: apiKey,
      api_secret: secretKey,
      from,
      to: phoneOf(envelope).replace(/^\+/, ''),
      text,
      // Plain text loses what is not in the alphabet of GSM, which has no backtick either.
      ...(/^[\n\x20-_a-~]*$/.test(text) ? {} : { type: 'unicode' }),
    }),
    objection,
  })
}
