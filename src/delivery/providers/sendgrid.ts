// SendGrid: e-mail by the Mail Send API.
import { emailContent } from '../content.ts'
import { baseUrl, parseCredentials, secret, sender } from '../credentials.ts'
import { bearer, exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { emailOf } from '../target.ts'

const settings = sender.extend({ apiKey: secret, baseUrl: baseUrl('https://api.sendgrid.com') })

export const sendgrid: Provider = (envelope, outbound) => {
  const { apiKey, baseUrl, from, senderName } = parseCredentials(envelope, settings)
  const { subject, html, text } = emailContent(envelope)
  const plain = { type: 'text/plain', value: text }
  return exchange(envelope, outbound, {
    url: `${baseUrl}/v3/mail/send`,
    headers: bearer(apiKey),
    body: {
      from: { email: from, name: senderName },
      personalizations: [{ to: [{ email: emailOf(envelope) }] }],
      subject,
      // In this order, or it is refused.
      content: html === undefined ? [plain] : [plain, { type: 'text/html', value: html }],
    },
  })
}
