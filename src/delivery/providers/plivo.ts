// Plivo: text messages by the Message API.
import { z } from 'zod'
import { textContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, plain, secret } from '../provider-kit/credentials.ts'
import { basic, exchange } from '../provider-kit/exchange.ts'
import { phoneTarget } from '../provider-kit/target.ts'

const settings = z.object({
  accountSid: plain('Auth ID', 'The Auth ID, which names the account.'),
  token: secret('Auth token', 'The Auth token of the account.'),
  from: plain('From', 'The phone number or the name of the sender.'),
  baseUrl: baseUrl('https://api.plivo.com'),
})

export const plivo = createProvider({
  settings,
  target: phoneTarget,
  send({ settings: { accountSid, token, from, baseUrl }, to, message, outbound }) {
    return exchange(message, outbound, {
      url: `${baseUrl}/v1/Account/${encodeURIComponent(accountSid)}/Message/`,
      headers: basic(accountSid, token),
      body: { src: from, dst: to, text: textContent(message) },
    })
  },
})
