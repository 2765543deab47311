// Twilio: text messages by the Messages resource.
import { z } from 'zod'
import { textContent } from '../content.ts'
import { baseUrl, parseCredentials, secret } from '../credentials.ts'
import { basic, exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { phoneOf } from '../target.ts'

const settings = z.object({
  accountSid: secret,
  token: secret,
  /** A number, a sender id, or a messaging service. */
  from: secret,
  baseUrl: baseUrl('https://api.twilio.com'),
})

export const twilio: Provider = (envelope, outbound) => {
  const { accountSid, token, from, baseUrl } = parseCredentials(envelope, settings)
  const isService = /^MG[\da-f]{32}$/.test(from)
  return exchange(envelope, outbound, {
    url: `${baseUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`,
    headers: basic(accountSid, token),
    body: new URLSearchParams({
      To: phoneOf(envelope),
      [isService ? 'MessagingServiceSid' : 'From']: from,
      Body: textContent(envelope),
    }),
  })
}
