// Twilio: text messages by the Messages API.
import { z } from 'zod'
import { textContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, plain, secret } from '../provider-kit/credentials.ts'
import { basic, exchange } from '../provider-kit/exchange.ts'
import { phoneTarget } from '../provider-kit/target.ts'

const settings = z.object({
  accountSid: plain('Account SID', 'The SID of the account.'),
  token: secret('Auth token', 'The Auth token of the account.'),
  from: plain('From', 'A phone number, a sender id or the SID of a messaging service.'),
  baseUrl: baseUrl('https://api.twilio.com'),
})

export const twilio = createProvider({
  settings,
  target: phoneTarget,
  send({ settings: { accountSid, token, from, baseUrl }, to, message, outbound }) {
    const isService = /^MG[\da-f]{32}$/.test(from)
    return exchange(message, outbound, {
      url: `${baseUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`,
      headers: basic(accountSid, token),
      body: new URLSearchParams({
        To: to,
        [isService ? 'MessagingServiceSid' : 'From']: from,
        Body: textContent(message),
      }),
    })
  },
})
