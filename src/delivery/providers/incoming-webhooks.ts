// Chat providers with incoming webhooks: the text in each provider's format.
import { z } from 'zod'
import { textContent } from '../provider-kit/content.ts'
import { createProvider } from '../provider-kit/create-provider.ts'
import { exchange } from '../provider-kit/exchange.ts'
import type { Outbound } from '../network/outbound.ts'
import type { OutgoingMessage } from '../provider-kit/provider.ts'
import { type Webhook, webhookTarget } from '../provider-kit/target.ts'

type BodyOf = (text: string, channel: string | undefined) => object

/** Posts the result of `bodyOf` to a webhook. */
export function postToWebhook({ url, channel }: Webhook, message: OutgoingMessage, outbound: Outbound, bodyOf: BodyOf) {
  return exchange(message, outbound, { url, body: bodyOf(textContent(message), channel) })
}

/** A provider that posts the result of `bodyOf` to the webhook of the message's target. */
function incomingWebhook(bodyOf: BodyOf) {
  return createProvider({
    settings: z.object({}),
    target: webhookTarget,
    send: ({ to, message, outbound }) => postToWebhook(to, message, outbound, bodyOf),
  })
}

export const discord = incomingWebhook((content) => ({ content }))

/** Both accept the name of another channel, unless the webhook is locked to one. */
export const mattermost = incomingWebhook((text, channel) => ({ text, channel }))
