// LINE: an official account that writes to one of its friends.
import { z } from 'zod'
import { textContent } from '../content.ts'
import { baseUrl, parseCredentials, secret } from '../credentials.ts'
import { bearer, exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { endpointOf } from '../target.ts'

const settings = z.object({ channelAccessToken: secret, baseUrl: baseUrl('https://api.line.me') })

/** What LINE answers when it took a message with this retry key before. */
const ALREADY_TAKEN = 409

export const line: Provider = (envelope, outbound) => {
  const { channelAccessToken, baseUrl } = parseCredentials(envelope, settings)
  const { userId } = endpointOf(envelope, 'messaging_app_user')
  return exchange(envelope, outbound, {
    url: `${baseUrl}/v2/bot/message/push`,
    headers: { ...bearer(channelAccessToken), 'x-line-retry-key': envelope.deliveryId },
    body: { to: userId, messages: [{ type: 'text', text: textContent(envelope) }] },
    alsoTaken: [ALREADY_TAKEN],
  })
}
