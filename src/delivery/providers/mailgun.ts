// Mailgun: e-mail by the Messages API of a domain.
import { emailContent } from '../content.ts'
import { baseUrl, formatAddress, parseCredentials, secret, sender } from '../credentials.ts'
import { basic, exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { emailOf } from '../target.ts'

const settings = sender.extend({
  apiKey: secret,
  domain: secret,
  /** `https://api.eu.mailgun.net` for domains in Europe. */
  baseUrl: baseUrl('https://api.mailgun.net'),
})

export const mailgun: Provider = (envelope, outbound) => {
  const { apiKey, domain, baseUrl, ...from } = parseCredentials(envelope, settings)
  const { subject, html, text } = emailContent(envelope)
  const body = new URLSearchParams({ from: formatAddress(from), to: emailOf(envelope), subject, text })
  if (html !== undefined) body.set('html', html)
  return exchange(envelope, outbound, {
    url: `${baseUrl}/v3/${encodeURIComponent(domain)}/messages`,
    headers: basic('api', apiKey),
    body,
  })
}
