// Twilio: text messages by the Messages API.
import { z } from 'zod'
import { textContent } from '../content.ts'
import { baseUrl, parseCredentials, secret } from '../credentials.ts'
import { basic, exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { phoneTarget } from '../target.ts'

const settings = z.object({
  accountSid: secret,
  token: secret,
  /** A phone number, a sender id or the SID of a messaging service. */
  from: secret,
  baseUrl: baseUrl('https://api.twilio.com'),
})

export const twilio: Provider = (message, outbound) => {
  const { accountSid, token, from, baseUrl } = parseCredentials(message, settings)
  const isService = /^MG[\da-f]{32}$/.test(from)
  return exchange(message, outbound, {
    url: `${baseUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`,
    headers: basic(accountSid, token),
    body: new URLSearchParams({
      To: phoneTarget(message),
      [isService ? 'MessagingServiceSid' : 'From']: from,
      Body: textContent(message),
    }),
  })
}
