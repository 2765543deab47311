// Mailgun: email by the Messages API.
import { emailContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, formatAddress, plain, secret, sender } from '../provider-kit/credentials.ts'
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
  send({ settings: { apiKey, domain, baseUrl, ...from }, to, message, outbound }) {
    const { subject, html, text } = emailContent(message)
    const body = new URLSearchParams({ from: formatAddress(from), to, subject, text })
    if (html !== undefined) body.set('html', html)
    return exchange(message, outbound, {
      url: `${baseUrl}/v3/${encodeURIComponent(domain)}/messages`,
      headers: basic('api', apiKey),
      body,
    })
  },
})
