// Resend: email by the Emails API, which deduplicates by Idempotency-Key.
import { emailContent } from '../content.ts'
import { baseUrl, formatAddress, parseCredentials, secret, sender } from '../credentials.ts'
import { bearer, exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { emailTarget } from '../target.ts'

const settings = sender.extend({ apiKey: secret, baseUrl: baseUrl('https://api.resend.com') })

export const resend: Provider = (message, outbound) => {
  const { apiKey, baseUrl, ...from } = parseCredentials(message, settings)
  return exchange(message, outbound, {
    url: `${baseUrl}/emails`,
    headers: bearer(apiKey),
    body: { from: formatAddress(from), to: [emailTarget(message)], ...emailContent(message) },
  })
}
