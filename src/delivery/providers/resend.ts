// Resend: email by the Emails API, which deduplicates by Idempotency-Key.
import { emailContent } from '../content.ts'
import { createProvider } from '../create-provider.ts'
import { baseUrl, formatAddress, secret, sender } from '../credentials.ts'
import { bearer, exchange } from '../exchange.ts'
import { emailTarget } from '../target.ts'

const settings = sender.extend({
  apiKey: secret('API key', 'The API key of the account.'),
  baseUrl: baseUrl('https://api.resend.com'),
})

export const resend = createProvider({
  settings,
  target: emailTarget,
  send({ settings: { apiKey, baseUrl, ...from }, to, message, outbound }) {
    return exchange(message, outbound, {
      url: `${baseUrl}/emails`,
      headers: bearer(apiKey),
      body: { from: formatAddress(from), to: [to], ...emailContent(message) },
    })
  },
})
