// Mailgun: email by the Messages API.
import { emailContent } from '../content.ts'
import { baseUrl, formatAddress, parseCredentials, secret, sender } from '../credentials.ts'
import { basic, exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { emailTarget } from '../target.ts'

const settings = sender.extend({
  apiKey: secret,
  domain: secret,
  /** `https://api.eu.mailgun.net` for domains in the EU region. */
  baseUrl: baseUrl('https://api.mailgun.net'),
})

export const mailgun: Provider = (message, outbound) => {
  const { apiKey, domain, baseUrl, ...from } = parseCredentials(message, settings)
  const { subject, html, text } = emailContent(message)
  const body = new URLSearchParams({ from: formatAddress(from), to: emailTarget(message), subject, text })
  if (html !== undefined) body.set('html', html)
  return exchange(message, outbound, {
    url: `${baseUrl}/v3/${encodeURIComponent(domain)}/messages`,
    headers: basic('api', apiKey),
    body,
  })
}
