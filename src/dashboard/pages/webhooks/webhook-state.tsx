// The state of a webhook subscription: active, failing, or why it is not active.
import { Alert, Button, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { Moment } from '../../parts/moment.tsx'
import { StateBadge } from '../../parts/badge/state-badge.tsx'
import { useActivation } from './activation.ts'
import type { WebhookSubscription } from './webhook-values.ts'

type State = Pick<WebhookSubscription, 'active' | 'disabledReason' | 'failingSince'>

/** The state in a word. */
export function stateOf({ active, disabledReason, failingSince }: State) {
  if (disabledReason !== null) return { label: 'Disabled', color: 'red' } as const
  if (!active) return { label: 'Inactive', color: 'gray' } as const
  return failingSince === null
    ? ({ label: 'Active', color: 'green' } as const)
    : ({ label: 'Failing', color: 'yellow' } as const)
}

export function WebhookState({ webhook }: { readonly webhook: State }) {
  const { label, color } = stateOf(webhook)
  return <StateBadge color={color}>{label}</StateBadge>
}

interface BannerProps {
  readonly webhook: WebhookSubscription
  readonly canWrite: boolean
}

/** Says why no messages are sent, or that they fail, and what to do. */
export function WebhookBanner({ webhook, canWrite }: BannerProps) {
  const [setActive, pending] = useActivation(webhook)
  const { active, disabledReason, failingSince } = webhook
  if (disabledReason !== null) {
    return (
      <Alert
        color="red"
        title="The gateway has disabled this subscription"
        icon={<IconAlertTriangle aria-hidden />}
        role="note"
        aria-label="Disabled"
      >
        <Text size="sm" className="wrap-anywhere">
          {disabledReason}
        </Text>
        <Text size="sm">
          No new messages are written for it. Pending messages wait, and are sent once it is enabled: repair the
          receiver, or change the URL, and then enable it.
        </Text>
        {canWrite && (
          <Button size="xs" variant="default" mt="xs" loading={pending} onClick={() => void setActive(true)}>
            Enable again
          </Button>
        )}
      </Alert>
    )
  }
  if (!active || failingSince === null) return null
  return (
    <Alert color="yellow" title="Failing" icon={<IconAlertTriangle aria-hidden />} role="note" aria-label="Failing">
      <Text size="sm">
        The receiver has not accepted a message since <Moment at={failingSince} />. After five days of failures, the
        gateway disables the subscription. The log below has the responses.
      </Text>
    </Alert>
  )
}
