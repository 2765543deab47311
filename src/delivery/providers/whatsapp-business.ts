// WhatsApp Business: messages by the Cloud API of Meta.
import { z } from 'zod'
import type { Message } from '../../engine/message.ts'
import { textContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, plain, secret } from '../provider-kit/credentials.ts'
import { bearer, exchange } from '../provider-kit/exchange.ts'
import type { FailureClass, ProviderAnswer, Verdict } from '../provider-kit/failure-class.ts'
import { phoneTarget } from '../provider-kit/target.ts'

const settings = z.object({
  apiToken: secret('Access token', 'A permanent access token of a system user, with the permission to send messages.'),
  phoneNumberIdentification: plain(
    'Phone number ID',
    'The ID of the phone number that sends, which is not the number.',
  ),
  baseUrl: baseUrl('https://graph.facebook.com/v22.0', 'The URL of the Graph API with its version, or of a proxy.'),
})

const failed = z.object({ error: z.object({ code: z.number(), message: z.string().optional() }) })

/** The codes for which the status is not enough. */
const classes: Readonly<Record<number, FailureClass | undefined>> = {
  // Limits of the app, the account, the number, and of messages to one person.
  4: 'unavailable',
  80007: 'unavailable',
  130429: 'unavailable',
  131056: 'unavailable',
  // Meta is out of order or overloaded.
  2: 'unavailable',
  131000: 'unavailable',
  131016: 'unavailable',
  0: 'credentials',
  190: 'credentials',
  // The account is restricted or locked, or too many of its messages were reported as spam.
  368: 'account',
  131031: 'account',
  131048: 'account',
}

function classify({ json }: ProviderAnswer): Verdict | undefined {
  const { data } = failed.safeParse(json)
  const found = data && classes[data.error.code]
  return found && { class: found, reason: `error ${data.error.code}: ${data.error.message ?? ''}` }
}

/** True if an override sends a template or another kind of message in place of the text. */
const isReplaced = ({ overrides }: Pick<Message, 'overrides'>) =>
  overrides.some(({ type }) => type !== undefined && type !== 'text')

export const whatsappBusiness = createProvider({
  settings,
  target: phoneTarget,
  send({ settings: { apiToken, phoneNumberIdentification, baseUrl }, to, message, outbound }) {
    return exchange(message, outbound, {
      url: `${baseUrl}/${encodeURIComponent(phoneNumberIdentification)}/messages`,
      headers: bearer(apiToken),
      body: {
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to,
        ...(!isReplaced(message) && { type: 'text', text: { body: textContent(message), preview_url: false } }),
      },
      classify,
    })
  },
})
