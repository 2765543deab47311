// SendGrid: email by the Mail Send API.
import { emailContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, secret, sender } from '../provider-kit/credentials.ts'
import { bearer, exchange } from '../provider-kit/exchange.ts'
import { emailTarget } from '../provider-kit/target.ts'

const settings = sender.extend({
  apiKey: secret('API key', 'The API key of the account.'),
  baseUrl: baseUrl('https://api.sendgrid.com'),
})

export const sendgrid = createProvider({
  settings,
  target: emailTarget,
  send({ settings: { apiKey, baseUrl, from, senderName }, to, message, outbound }) {
    const { subject, html, text } = emailContent(message)
    const plain = { type: 'text/plain', value: text }
    return exchange(message, outbound, {
      url: `${baseUrl}/v3/mail/send`,
      headers: bearer(apiKey),
      body: {
        from: { email: from, name: senderName },
        personalizations: [{ to: [{ email: to }] }],
        subject,
        // SendGrid requires plain text first.
        content: html === undefined ? [plain] : [plain, { type: 'text/html', value: html }],
      },
    })
  },
})
