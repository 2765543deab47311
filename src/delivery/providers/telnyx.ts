// Telnyx: text messages by the Messaging API.
import { z } from 'zod'
import { textContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, optional, plain, secret } from '../provider-kit/credentials.ts'
import { bearer, exchange } from '../provider-kit/exchange.ts'
import { phoneTarget } from '../provider-kit/target.ts'

const settings = z.object({
  apiKey: secret('API key', 'The API key of the account.'),
  from: plain('From', 'The phone number or the name of the sender.'),
  messageProfileId: optional(plain('Messaging profile', 'The id of the messaging profile.')),
  baseUrl: baseUrl('https://api.telnyx.com'),
})

export const telnyx = createProvider({
  settings,
  target: phoneTarget,
  send({ settings: { apiKey, from, messageProfileId, baseUrl }, to, message, outbound }) {
    return exchange(message, outbound, {
      url: `${baseUrl}/v2/messages`,
      headers: bearer(apiKey),
      body: { from, to: to, text: textContent(message), messaging_profile_id: messageProfileId },
    })
  },
})
