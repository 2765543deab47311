// Telegram: messages from a bot to a chat.
import { z } from 'zod'
import { textContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, secretSetting } from '../provider-kit/credentials.ts'
import { exchange } from '../provider-kit/exchange.ts'
import { endpointTarget } from '../provider-kit/target.ts'

const settings = z.object({
  // The token is part of the path and is not escaped.
  botToken: secretSetting(
    z.string().regex(/^\d+:[\w-]+$/, 'must be a bot token, such as 123456:ABC-def'),
    'Bot token',
    'The token of the bot, such as 123456:ABC-def.',
  ),
  baseUrl: baseUrl('https://api.telegram.org'),
})

export const telegram = createProvider({
  settings,
  target: endpointTarget('messenger_chat'),
  send({ settings: { botToken, baseUrl }, to: { chatId }, message, outbound }) {
    return exchange(message, outbound, {
      url: `${baseUrl}/bot${botToken}/sendMessage`,
      body: { chat_id: chatId, text: textContent(message) },
    })
  },
})
