// Resend: e-mail by the Emails API, which sends once for one Idempotency-Key.
import { emailContent } from '../content.ts'
import { baseUrl, formatAddress, parseCredentials, secret, sender } from '../credentials.ts'
import { bearer, exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { emailOf } from '../target.ts'

const settings = sender.extend({ apiKey: secret, baseUrl: baseUrl('https://api.resend.com') })

export const resend: Provider = (envelope, outbound) => {
  const { apiKey, baseUrl, ...from } = parseCredentials(envelope, settings)
  return exchange(envelope, outbound, {
    url: `${baseUrl}/emails`,
    headers: bearer(apiKey),
    body: { from: formatAddress(from), to: [emailOf(envelope)], ...emailContent(envelope) },
  })
}
