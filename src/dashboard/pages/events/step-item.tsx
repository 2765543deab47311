// One step of a run in the timeline: the decision, its reason, and the messages.
import { Anchor, Group, Paper, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { Moment } from '../../parts/moment.tsx'
import { paths } from '../../parts/paths.ts'
import { StatusBadge, type StepStatus } from '../../parts/status-badge.tsx'
import { stepTypes } from '../../parts/step-types.ts'
import { DeliveryCard, deliveryFields } from './delivery-card.tsx'
import { stepRemedies } from './reasons.ts'
import { ReasonText, type Subject } from './remedy.tsx'

export const stepFields = graphql(
  `
    fragment StepFields on StepRun @_unmask {
      stepId
      type
      status
      reason
      detail
      dueAt
      createdAt
      mergedInto {
        workflowRun {
          id
          subscriberId
          event {
            transactionId
          }
        }
      }
      notification {
        id
        subject
        body
        seenAt
        readAt
        archivedAt
      }
      deliveries {
        ...DeliveryFields
      }
    }
  `,
  [deliveryFields],
)

type Step = ResultOf<typeof stepFields>

/** The meaning of a status for steps without a reason. */
const meanings = {
  WAITING: 'The next steps follow when the wait is over.',
  COMPLETED: 'The wait is over.',
  MERGED: 'An earlier digest was still open. Its message includes this event, and this run ends here.',
  SENDING: 'The message is in delivery. A failed attempt is repeated later.',
  SENT: null,
  SKIPPED: null,
  FAILED: null,
  CANCELLED: null,
} as const satisfies Record<StepStatus, string | null>

/** Whether the subscriber has seen, read or archived a notification. */
function marksOf({ seenAt, readAt, archivedAt }: NonNullable<Step['notification']>): string {
  if (archivedAt !== null) return 'archived'
  if (readAt !== null) return 'read'
  return seenAt === null ? 'not seen yet' : 'seen'
}

export function StepItem({ step, subject }: { readonly step: Step; readonly subject: Required<Subject> }) {
  const { type, status, reason, detail, dueAt, mergedInto, notification, deliveries } = step
  const meaning = meanings[status]
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <StatusBadge status={status} />
        <Text size="sm" c="dimmed">
          <Moment at={step.createdAt} />
        </Text>
      </Group>
      {reason !== null && <ReasonText detail={detail ?? reason} remedy={stepRemedies[reason]} subject={subject} />}
      {meaning !== null && (
        <Text size="sm">
          {meaning}
          {status === 'WAITING' && dueAt !== null && (
            <>
              {' '}
              It ends <Moment at={dueAt} />.
            </>
          )}
        </Text>
      )}
      {mergedInto && (
        <Text size="sm">
          <Anchor
            inherit
            underline="always"
            component={Link}
            to={paths.recipient(mergedInto.workflowRun.event.transactionId, mergedInto.workflowRun.subscriberId)}
          >
            The run of the digest
          </Anchor>
        </Text>
      )}
      {notification && (
        <Paper withBorder p="sm">
          <Text size="sm">
            A notification in the feed of{' '}
            <Anchor inherit underline="always" component={Link} to={paths.subscriber(subject.subscriberId)}>
              {subject.subscriberId}
            </Anchor>
            , {marksOf(notification)}
          </Text>
          {notification.subject !== null && (
            <Text size="sm" fw={600} className="wrap-anywhere">
              {notification.subject}
            </Text>
          )}
          <Text size="sm" className="wrap-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
            {notification.body}
          </Text>
        </Paper>
      )}
      {type === 'IN_APP' && status === 'SENT' && notification === null && (
        <Text size="sm">The notification was written to the feed, and has been deleted since.</Text>
      )}
      {deliveries.map((delivery) => (
        <DeliveryCard key={delivery.id} delivery={delivery} />
      ))}
    </Stack>
  )
}

export const titleOf = ({ type, stepId }: Step): string => `${stepTypes[type].label}: ${stepId}`
