// LINE: push messages from an official account by the Messaging API.
import { z } from 'zod'
import { textContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { baseUrl, secret } from '../provider-kit/credentials.ts'
import { bearer, exchange } from '../provider-kit/exchange.ts'
import { endpointTarget } from '../provider-kit/target.ts'

const settings = z.object({
  channelAccessToken: secret('Channel access token', 'The access token of the official account.'),
  baseUrl: baseUrl('https://api.line.me'),
})

/** LINE's status for a message that it has already accepted with this retry key. */
const ALREADY_ACCEPTED = 409

export const line = createProvider({
  settings,
  target: endpointTarget('messaging_app_user'),
  send({ settings: { channelAccessToken, baseUrl }, to: { userId }, message, outbound }) {
    return exchange(message, outbound, {
      url: `${baseUrl}/v2/bot/message/push`,
      headers: { ...bearer(channelAccessToken), 'x-line-retry-key': message.deliveryId },
      body: { to: userId, messages: [{ type: 'text', text: textContent(message) }] },
      alsoAccepted: [ALREADY_ACCEPTED],
    })
  },
})
