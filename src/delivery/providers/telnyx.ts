// Telnyx: text messages by the Messaging API.
import { z } from 'zod'
import { textContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, optional, plain, secret } from '../provider-kit/credentials.ts'
import { bearer, exchange } from '../provider-kit/exchange.ts'
import type { ProviderAnswer, Verdict } from '../provider-kit/failure-class.ts'
import { phoneTarget } from '../provider-kit/target.ts'

const settings = z.object({
  apiKey: secret('API key', 'The API key of the account.'),
  from: plain('From', 'The phone number or the name of the sender.'),
  messageProfileId: optional(plain('Messaging profile', 'The id of the messaging profile.')),
  baseUrl: baseUrl('https://api.telnyx.com'),
})

const failed = z.object({ errors: z.array(z.object({ code: z.coerce.string() })).min(1) })

/** The recipient has replied with STOP to the sender. */
const OPTED_OUT = '40300'

function classify({ json }: ProviderAnswer): Verdict | undefined {
  const { data } = failed.safeParse(json)
  const isOptedOut = data?.errors.some(({ code }) => code === OPTED_OUT)
  return isOptedOut ? { class: 'suppressed', reason: `error ${OPTED_OUT}` } : undefined
}

export const telnyx = createProvider({
  settings,
  target: phoneTarget,
  send({ settings: { apiKey, from, messageProfileId, baseUrl }, to, message, outbound }) {
    return exchange(message, outbound, {
      url: `${baseUrl}/v2/messages`,
      headers: bearer(apiKey),
      body: { from, to: to, text: textContent(message), messaging_profile_id: messageProfileId },
      classify,
    })
  },
})
