// Telegram: messages from a bot to a chat.
import { z } from 'zod'
import { textContent } from '../content.ts'
import { baseUrl, parseCredentials } from '../credentials.ts'
import { exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { endpointTarget } from '../target.ts'

const settings = z.object({
  // The token is part of the path and is not escaped.
  botToken: z.string().regex(/^\d+:[\w-]+$/, 'must be a bot token, such as 123456:ABC-def'),
  baseUrl: baseUrl('https://api.telegram.org'),
})

export const telegram: Provider = (message, outbound) => {
  const { botToken, baseUrl } = parseCredentials(message, settings)
  const { chatId } = endpointTarget(message, 'messenger_chat')
  return exchange(message, outbound, {
    url: `${baseUrl}/bot${botToken}/sendMessage`,
    body: { chat_id: chatId, text: textContent(message) },
  })
}
