// Telegram: a bot that writes to a chat.
import { z } from 'zod'
import { textContent } from '../content.ts'
import { baseUrl, credentialsOf, secret } from '../credentials.ts'
import { exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { endpointOf } from '../target.ts'

const settings = z.object({ botToken: secret, baseUrl: baseUrl('https://api.telegram.org') })

export const telegram: Provider = (envelope, outbound) => {
  const { botToken, baseUrl } = credentialsOf(envelope, settings)
  const { chatId } = endpointOf(envelope, 'messenger_chat')
  return exchange(envelope, outbound, {
    url: `${baseUrl}/bot${encodeURIComponent(botToken)}/sendMessage`,
    body: { chat_id: chatId, text: textContent(envelope) },
  })
}
