// Plivo: text messages by the Message API.
import { z } from 'zod'
import { textContent } from '../content.ts'
import { baseUrl, parseCredentials, secret } from '../credentials.ts'
import { basic, exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { phoneOf } from '../target.ts'

const settings = z.object({
  accountSid: secret,
  token: secret,
  from: secret,
  baseUrl: baseUrl('https://api.plivo.com'),
})

export const plivo: Provider = (envelope, outbound) => {
  const { accountSid, token, from, baseUrl } = parseCredentials(envelope, settings)
  return exchange(envelope, outbound, {
    url: `${baseUrl}/v1/Account/${encodeURIComponent(accountSid)}/Message/`,
    headers: basic(accountSid, token),
    body: { src: from, dst: phoneOf(envelope), text: textContent(envelope) },
  })
}
