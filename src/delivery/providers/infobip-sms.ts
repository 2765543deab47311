// Infobip: text messages by the SMS API.
import { z } from 'zod'
import { httpUrl } from '../../lib/validation.ts'
import { textContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { plain, secret, setting } from '../provider-kit/credentials.ts'
import { exchange } from '../provider-kit/exchange.ts'
import type { ProviderAnswer, Verdict } from '../provider-kit/failure-class.ts'
import { phoneTarget } from '../provider-kit/target.ts'

const settings = z.object({
  apiKey: secret('API key', 'The API key of the account.'),
  baseUrl: setting(
    // Infobip shows the host without its scheme.
    z
      .preprocess(
        (given) => (typeof given === 'string' && /^[\w.-]+$/.test(given) ? `https://${given}` : given),
        httpUrl,
      )
      .transform((url) => url.replace(/\/+$/, '')),
    'Base URL',
    'The URL of the account, such as `https://xxxxx.api.infobip.com`.',
  ),
  from: plain('From', 'The phone number or the name of the sender.'),
})

/** The status is 200 even for messages that are rejected. */
const answered = z.object({
  messages: z.array(z.object({ status: z.object({ groupId: z.number(), name: z.string() }) })),
})

/** Groups of messages that are on their way, and of those that have arrived. */
const accepted: ReadonlySet<number> = new Set([1, 3])

/** The account has no credit, or may not use the sender. */
const ofAccount: ReadonlySet<string> = new Set(['REJECTED_NOT_ENOUGH_CREDITS', 'REJECTED_SENDER', 'REJECTED_SOURCE'])

function classify({ json }: ProviderAnswer): Verdict | undefined {
  const failed = answered.safeParse(json).data?.messages.find(({ status }) => !accepted.has(status.groupId))
  if (failed === undefined) return undefined
  const reason = failed.status.name
  return { class: ofAccount.has(reason) ? 'account' : 'recipient', reason }
}

export const infobipSms = createProvider({
  settings,
  target: phoneTarget,
  send({ settings: { apiKey, baseUrl, from }, to, message, outbound }) {
    return exchange(message, outbound, {
      url: `${baseUrl}/sms/3/messages`,
      headers: { authorization: `App ${apiKey}`, accept: 'application/json' },
      body: {
        messages: [
          { sender: from, destinations: [{ to: to.replace(/^\+/, '') }], content: { text: textContent(message) } },
        ],
      },
      classify,
    })
  },
})
