// Webex: a bot that writes to a room, to a message in it, or to a person.
import { z } from 'zod'
import { textContent } from '../content.ts'
import { baseUrl, parseCredentials, secret } from '../credentials.ts'
import { bearer, exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { endpointOf } from '../target.ts'

const settings = z.object({ botToken: secret, baseUrl: baseUrl('https://webexapis.com') })

export const webexMessaging: Provider = (envelope, outbound) => {
  const { botToken, baseUrl } = parseCredentials(envelope, settings)
  const endpoint = endpointOf(envelope, 'meeting_room', 'meeting_person')
  const to =
    endpoint.type === 'meeting_room'
      ? { roomId: endpoint.roomId, parentId: endpoint.parentId }
      : { toPersonId: endpoint.personId, toPersonEmail: endpoint.personEmail }
  return exchange(envelope, outbound, {
    url: `${baseUrl}/v1/messages`,
    headers: bearer(botToken),
    body: { ...to, text: textContent(envelope) },
  })
}
