// Mailgun: email by the Messages API.
import { formatAddress } from '../../domain/channel/email-address.ts'
import { emailContent, emailEnvelope } from '../provider-kit/content.ts'
import { filesOf, Multipart } from '../provider-kit/files.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, plain, secret, sender } from '../provider-kit/credentials.ts'
import { basic, exchange } from '../provider-kit/exchange.ts'
import { emailTarget } from '../provider-kit/target.ts'

const settings = sender.extend({
  apiKey: secret('API key', 'The API key of the account.'),
  domain: plain('Domain', 'The domain that the messages are sent from.'),
  baseUrl: baseUrl(
    'https://api.mailgun.net',
    "The URL of the provider's API: `https://api.eu.mailgun.net` for domains in the EU region.",
  ),
})

export const mailgun = createProvider({
  settings,
  target: emailTarget,
  send({ settings: { apiKey, domain, baseUrl, ...sender }, to: recipient, message, outbound }) {
    const { subject, html, text } = emailContent(message)
    const { from, to, cc, bcc, replyTo, headers } = emailEnvelope(message, sender, recipient)
    const body = new URLSearchParams({ from: formatAddress(from), subject, text })
    if (html !== undefined) body.set('html', html)
    for (const [name, addresses] of Object.entries({ to, cc, bcc, 'h:Reply-To': replyTo })) {
      if (addresses.length > 0) body.set(name, addresses.map(formatAddress).join(', '))
    }
    for (const { name, value } of headers) body.set(`h:${name}`, value)
    if (message.content.email) body.set('v:delivery_id', message.deliveryId)
    const files = filesOf(message)
    return exchange(message, outbound, {
      url: `${baseUrl}/v3/${encodeURIComponent(domain)}/messages`,
      headers: basic('api', apiKey),
      body: files.length === 0 ? body : new Multipart(`gateway-${message.deliveryId}`, body, files),
    })
  },
})
