// Webex: messages from a bot to a room, a thread or a person.
import { z } from 'zod'
import { textContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, connectSettings, invalidCredentials, optional, secret } from '../provider-kit/credentials.ts'
import { bearer, exchange } from '../provider-kit/exchange.ts'
import { connectionOfTarget, endpointTarget } from '../provider-kit/target.ts'

const unless = 'the endpoint has a channel connection'

const settings = z.object({
  botToken: optional(
    secret(
      'Bot token',
      `The access token of the bot, for endpoints without a channel connection. Required unless ${unless}.`,
    ),
  ),
  ...connectSettings,
  baseUrl: baseUrl('https://webexapis.com'),
})

export const webexMessaging = createProvider({
  settings,
  target: endpointTarget('meeting_room', 'meeting_person'),
  sometimes: [{ setting: 'botToken', unless }],
  send({ settings: { botToken, baseUrl }, to: endpoint, message, outbound }) {
    const token = connectionOfTarget(message.target)?.accessToken ?? botToken
    if (token === undefined) throw invalidCredentials('botToken is required')
    const to =
      endpoint.type === 'meeting_room'
        ? { roomId: endpoint.roomId, parentId: endpoint.parentId }
        : { toPersonId: endpoint.personId, toPersonEmail: endpoint.personEmail }
    return exchange(message, outbound, {
      url: `${baseUrl}/v1/messages`,
      headers: bearer(token),
      body: { ...to, text: textContent(message) },
    })
  },
})
