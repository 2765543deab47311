// Postmark: email by the Email API.
import { emailContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, formatAddress, secret, sender } from '../provider-kit/credentials.ts'
import { exchange } from '../provider-kit/exchange.ts'
import { emailTarget } from '../provider-kit/target.ts'

const settings = sender.extend({
  apiKey: secret('Server token', 'The token of the server, not of the account.'),
  baseUrl: baseUrl('https://api.postmarkapp.com'),
})

export const postmark = createProvider({
  settings,
  target: emailTarget,
  send({ settings: { apiKey, baseUrl, ...from }, to, message, outbound }) {
    const { subject, html, text } = emailContent(message)
    return exchange(message, outbound, {
      url: `${baseUrl}/email`,
      headers: { accept: 'application/json', 'x-postmark-server-token': apiKey },
      body: { From: formatAddress(from), To: to, Subject: subject, HtmlBody: html, TextBody: text },
    })
  },
})
