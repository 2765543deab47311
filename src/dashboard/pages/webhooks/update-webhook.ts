// The mutation that changes a webhook subscription, used by its form and its switch.
import { graphql } from '../../graph/graphql.ts'
import { webhookFields } from './webhook-values.ts'

export const updateWebhookMutation = graphql(
  `
    mutation UpdateWebhookSubscription($input: UpdateWebhookSubscriptionInput!) {
      updateWebhookSubscription(input: $input) {
        webhookSubscription {
          ...WebhookFields
        }
        userErrors {
          message
          field
        }
      }
    }
  `,
  [webhookFields],
)
