// Telnyx: text messages by the Messaging API.
import { z } from 'zod'
import { textContent } from '../content.ts'
import { baseUrl, optional, parseCredentials, secret } from '../credentials.ts'
import { bearer, exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { phoneTarget } from '../target.ts'

const settings = z.object({
  apiKey: secret,
  from: secret,
  messageProfileId: optional(secret),
  baseUrl: baseUrl('https://api.telnyx.com'),
})

export const telnyx: Provider = (message, outbound) => {
  const { apiKey, from, messageProfileId, baseUrl } = parseCredentials(message, settings)
  return exchange(message, outbound, {
    url: `${baseUrl}/v2/messages`,
    headers: bearer(apiKey),
    body: { from, to: phoneTarget(message), text: textContent(message), messaging_profile_id: messageProfileId },
  })
}
