// Telegram: a bot that writes to a chat.
import { z } from 'zod'
import { textContent } from '../content.ts'
import { baseUrl, parseCredentials } from '../credentials.ts'
import { exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { endpointOf } from '../target.ts'

const settings = z.object({
  // It becomes a part of the path as it is.
  botToken: z.string().regex(/^\d+:[\w-]+$/, 'must be the token of a bot, such as 123456:ABC-def'),
  baseUrl: baseUrl('https://api.telegram.org'),
})

export const telegram: Provider = (envelope, outbound) => {
  const { botToken, baseUrl } = parseCredentials(envelope, settings)
  const { chatId } = endpointOf(envelope, 'messenger_chat')
  return exchange(envelope, outbound, {
    url: `${baseUrl}/bot${botToken}/sendMessage`,
    body: { chat_id: chatId, text: textContent(envelope) },
  })
}
