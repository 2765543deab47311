// SendGrid: email by the Mail Send API.
import { emailContent } from '../content.ts'
import { baseUrl, parseCredentials, secret, sender } from '../credentials.ts'
import { bearer, exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { emailTarget } from '../target.ts'

const settings = sender.extend({ apiKey: secret, baseUrl: baseUrl('https://api.sendgrid.com') })

export const sendgrid: Provider = (message, outbound) => {
  const { apiKey, baseUrl, from, senderName } = parseCredentials(message, settings)
  const { subject, html, text } = emailContent(message)
  const plain = { type: 'text/plain', value: text }
  return exchange(message, outbound, {
    url: `${baseUrl}/v3/mail/send`,
    headers: bearer(apiKey),
    body: {
      from: { email: from, name: senderName },
      personalizations: [{ to: [{ email: emailTarget(message) }] }],
      subject,
      // SendGrid requires plain text first.
      content: html === undefined ? [plain] : [plain, { type: 'text/html', value: html }],
    },
  })
}
