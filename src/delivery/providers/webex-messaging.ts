// Webex: messages from a bot to a room, a thread or a person.
import { z } from 'zod'
import { textContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, secret } from '../provider-kit/credentials.ts'
import { bearer, exchange } from '../provider-kit/exchange.ts'
import { endpointTarget } from '../provider-kit/target.ts'

const settings = z.object({
  botToken: secret('Bot token', 'The access token of the bot.'),
  baseUrl: baseUrl('https://webexapis.com'),
})

export const webexMessaging = createProvider({
  settings,
  target: endpointTarget('meeting_room', 'meeting_person'),
  send({ settings: { botToken, baseUrl }, to: endpoint, message, outbound }) {
    const to =
      endpoint.type === 'meeting_room'
        ? { roomId: endpoint.roomId, parentId: endpoint.parentId }
        : { toPersonId: endpoint.personId, toPersonEmail: endpoint.personEmail }
    return exchange(message, outbound, {
      url: `${baseUrl}/v1/messages`,
      headers: bearer(botToken),
      body: { ...to, text: textContent(message) },
    })
  },
})
