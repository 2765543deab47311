// Webex: messages from a bot to a room, a thread or a person.
import { z } from 'zod'
import { textContent } from '../content.ts'
import { baseUrl, parseCredentials, secret } from '../credentials.ts'
import { bearer, exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { endpointTarget } from '../target.ts'

const settings = z.object({ botToken: secret, baseUrl: baseUrl('https://webexapis.com') })

export const webexMessaging: Provider = (message, outbound) => {
  const { botToken, baseUrl } = parseCredentials(message, settings)
  const endpoint = endpointTarget(message, 'meeting_room', 'meeting_person')
  const to =
    endpoint.type === 'meeting_room'
      ? { roomId: endpoint.roomId, parentId: endpoint.parentId }
      : { toPersonId: endpoint.personId, toPersonEmail: endpoint.personEmail }
  return exchange(message, outbound, {
    url: `${baseUrl}/v1/messages`,
    headers: bearer(botToken),
    body: { ...to, text: textContent(message) },
  })
}
