// Postmark: email by the Email API.
import { emailContent } from '../content.ts'
import { baseUrl, formatAddress, parseCredentials, secret, sender } from '../credentials.ts'
import { exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { emailTarget } from '../target.ts'

const settings = sender.extend({
  /** A server token, not the account token. */
  apiKey: secret,
  baseUrl: baseUrl('https://api.postmarkapp.com'),
})

export const postmark: Provider = (message, outbound) => {
  const { apiKey, baseUrl, ...from } = parseCredentials(message, settings)
  const { subject, html, text } = emailContent(message)
  return exchange(message, outbound, {
    url: `${baseUrl}/email`,
    headers: { accept: 'application/json', 'x-postmark-server-token': apiKey },
    body: { From: formatAddress(from), To: emailTarget(message), Subject: subject, HtmlBody: html, TextBody: text },
  })
}
