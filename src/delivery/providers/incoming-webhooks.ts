// Chats with incoming webhooks: the text in the form that each of them wants it in.
import { textContent } from '../content.ts'
import { exchange } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { webhookOf } from '../target.ts'

/** A provider that posts `bodyOf` the text to the webhook that the message is addressed to. */
export function incomingWebhook(bodyOf: (text: string, channel: string | undefined) => object): Provider {
  return (envelope, outbound) => {
    const { url, channel } = webhookOf(envelope)
    return exchange(envelope, outbound, { url, body: bodyOf(textContent(envelope), channel) })
  }
}

export const discord = incomingWebhook((content) => ({ content }))

/** Both take the name of another room of the same workspace, where the webhook is not bound to one. */
export const mattermost = incomingWebhook((text, channel) => ({ text, channel }))
export const rocketChat = mattermost

/** An adaptive card is what the webhooks of workflows take, and those of the connectors before them too. */
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
