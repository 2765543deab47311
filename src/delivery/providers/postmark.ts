// Postmark: e-mail by the Email API.
import { emailContent } from '../content.ts'
import { baseUrl, formatAddress, parseCredentials, secret, sender } from '../credentials.ts'
import { exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { emailOf } from '../target.ts'

const settings = sender.extend({
  /** The token of a server, and not of the account. */
  apiKey: secret,
  baseUrl: baseUrl('https://api.postmarkapp.com'),
})

export const postmark: Provider = (envelope, outbound) => {
  const { apiKey, baseUrl, ...from } = parseCredentials(envelope, settings)
  const { subject, html, text } = emailContent(envelope)
  return exchange(envelope, outbound, {
    url: `${baseUrl}/email`,
    headers: { accept: 'application/json', 'x-postmark-server-token': apiKey },
    body: { From: formatAddress(from), To: emailOf(envelope), Subject: subject, HtmlBody: html, TextBody: text },
  })
}
