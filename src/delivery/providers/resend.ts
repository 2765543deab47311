// Resend: email by the Emails API, which deduplicates by Idempotency-Key.
import { emailContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, formatAddress, secret, sender } from '../provider-kit/credentials.ts'
import { bearer, exchange } from '../provider-kit/exchange.ts'
import { emailTarget } from '../provider-kit/target.ts'

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
