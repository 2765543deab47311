// Plivo: text messages by the Message API.
import { z } from 'zod'
import { textContent } from '../content.ts'
import { baseUrl, parseCredentials, secret } from '../credentials.ts'
import { basic, exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { phoneTarget } from '../target.ts'

const settings = z.object({
  accountSid: secret,
  token: secret,
  from: secret,
  baseUrl: baseUrl('https://api.plivo.com'),
})

export const plivo: Provider = (message, outbound) => {
  const { accountSid, token, from, baseUrl } = parseCredentials(message, settings)
  return exchange(message, outbound, {
    url: `${baseUrl}/v1/Account/${encodeURIComponent(accountSid)}/Message/`,
    headers: basic(accountSid, token),
    body: { src: from, dst: phoneTarget(message), text: textContent(message) },
  })
}
