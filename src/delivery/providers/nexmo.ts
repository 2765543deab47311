// Vonage, formerly Nexmo: text messages by the SMS API.
import { z } from 'zod'
import { needsUnicode, textContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, plain, secret } from '../provider-kit/credentials.ts'
import { exchange } from '../provider-kit/exchange.ts'
import type { FailureClass, ProviderAnswer, Verdict } from '../provider-kit/failure-class.ts'
import { phoneTarget } from '../provider-kit/target.ts'

const settings = z.object({
  apiKey: secret('API key', 'The API key of the account.'),
  secretKey: secret('API secret', 'The API secret of the account.'),
  from: plain('From', 'The phone number or the name of the sender.'),
  baseUrl: baseUrl('https://rest.nexmo.com'),
})

/** The HTTP status is 200 even for errors. Each part of the message has its own status. */
const parts = z.object({ messages: z.array(z.object({ status: z.string(), 'error-text': z.string().optional() })) })

const ACCEPTED = '0'

/** The statuses of the SMS API. All others concern the recipient or the content. */
const classes: Readonly<Partial<Record<string, FailureClass>>> = {
  // Throttled, internal error, and too many connections.
  '1': 'unavailable',
  '5': 'unavailable',
  '10': 'unavailable',
  '4': 'credentials',
  '14': 'credentials',
  // The account is barred, has no credit or may not use the API, and the sender is not allowed.
  '8': 'account',
  '9': 'account',
  '11': 'account',
  '15': 'account',
}

function classify({ json }: ProviderAnswer): Verdict | undefined {
  const rejected = parts.safeParse(json).data?.messages.find(({ status }) => status !== ACCEPTED)
  if (rejected === undefined) return undefined
  const { status } = rejected
  return { class: classes[status] ?? 'recipient', reason: rejected['error-text'] ?? `status ${status}` }
}

export const nexmo = createProvider({
  settings,
  target: phoneTarget,
  send({ settings: { apiKey, secretKey, from, baseUrl }, to, message, outbound }) {
    const text = textContent(message)
    return exchange(message, outbound, {
      url: `${baseUrl}/sms/json`,
      body: new URLSearchParams({
        api_key: apiKey,
        api_secret: secretKey,
        from,
        to: to.replace(/^\+/, ''),
        text,
        // The default type loses characters outside of the GSM alphabet.
        ...(needsUnicode(text) && { type: 'unicode' }),
      }),
      classify,
    })
  },
})
