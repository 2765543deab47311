// Chat providers with incoming webhooks: the text in each provider's format.
import { textContent } from '../content.ts'
import { exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { webhookTarget } from '../target.ts'

/** A provider that posts the result of `bodyOf` to the webhook of the message's target. */
export function incomingWebhook(bodyOf: (text: string, channel: string | undefined) => object): Provider {
  return (message, outbound) => {
    const { url, channel } = webhookTarget(message)
    return exchange(message, outbound, { url, body: bodyOf(textContent(message), channel) })
  }
}

export const discord = incomingWebhook((content) => ({ content }))

/** Both accept the name of another channel, unless the webhook is locked to one. */
export const mattermost = incomingWebhook((text, channel) => ({ text, channel }))

/** An adaptive card is accepted by webhooks of workflows and of the older connectors. */
export const msteams = incomingWebhook((text) => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [{ type: 'TextBlock', text, wrap: true }],
      },
    },
  ],
}))
