// Twilio: text messages by the Messages API.
import { z } from 'zod'
import { textContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, plain, secret } from '../provider-kit/credentials.ts'
import { basic, exchange } from '../provider-kit/exchange.ts'
import type { ProviderAnswer, Verdict } from '../provider-kit/failure-class.ts'
import { phoneTarget } from '../provider-kit/target.ts'

const settings = z.object({
  accountSid: plain('Account SID', 'The SID of the account.'),
  token: secret('Auth token', 'The Auth token of the account.'),
  from: plain('From', 'A phone number, a sender id or the SID of a messaging service.'),
  baseUrl: baseUrl('https://api.twilio.com'),
})

const failed = z.object({ code: z.number() })

/** The sender is not a number of the account, or the account is a trial that may not write to this recipient. */
const ofAccount: ReadonlySet<number> = new Set([21606, 21607, 21608])

function classify({ json }: ProviderAnswer): Verdict | undefined {
  const { data } = failed.safeParse(json)
  return data !== undefined && ofAccount.has(data.code) ? { class: 'account', reason: `error ${data.code}` } : undefined
}

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
      classify,
    })
  },
})
