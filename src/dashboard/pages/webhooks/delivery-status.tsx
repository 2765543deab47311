// The status of a webhook message for a subscription, as a word with a color.
import type { graphql } from '../../graph/graphql.ts'
import { optionsOf } from '../../parts/options.ts'
import { StateBadge } from '../../parts/badge/state-badge.tsx'

type WebhookDeliveryStatus = ReturnType<typeof graphql.scalar<'WebhookDeliveryStatus'>>

const looks = {
  PENDING: { label: 'Pending', color: 'blue' },
  SUCCEEDED: { label: 'Succeeded', color: 'green' },
  FAILED: { label: 'Failed', color: 'red' },
} as const satisfies Record<WebhookDeliveryStatus, { readonly label: string; readonly color: string }>

export const webhookStatusOptions = optionsOf<WebhookDeliveryStatus>(looks)

export function WebhookStatusBadge({ status }: { readonly status: WebhookDeliveryStatus }) {
  const { label, color } = looks[status]
  return <StateBadge color={color}>{label}</StateBadge>
}
