// One step of a run in the timeline: the decision, its reason, and the messages.
import { Anchor, Group, Paper, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { Moment } from '../../parts/moment.tsx'
import { paths } from '../../parts/paths.ts'
import { MessageBadge } from '../../parts/badge/status-badge.tsx'
import { stepTypes } from '../../parts/step-types.ts'
import { DeliveryCard, deliveryFields } from './delivery-card.tsx'
import { remedyFor, stepPlaces } from './reasons.ts'
import { ReasonText, type Subject } from './remedy.tsx'

export const stepFields = graphql(
  `
    fragment StepFields on StepRun @_unmask {
      stepId
      type
      status
      reasonCode
      explanation
      advice
      dueAt
      createdAt
      topicSubscription {
        topic {
          key
        }
        identifier
      }
      integration {
        identifier
      }
      channelEndpoint {
        identifier
      }
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

/** Links to the objects that the explanation names. */
function namedIn({ topicSubscription, integration, channelEndpoint, mergedInto }: Step) {
  const run = mergedInto?.workflowRun
  return [
    topicSubscription && {
      label: 'The topic subscription',
      to: paths.topicSubscription(topicSubscription.topic.key, topicSubscription.identifier),
    },
    integration && { label: 'The integration', to: paths.integration(integration.identifier) },
    channelEndpoint && { label: 'The channel endpoint', to: paths.channelEndpoint(channelEndpoint.identifier) },
    run && { label: 'The run of the digest', to: paths.recipient(run.event.transactionId, run.subscriberId) },
  ].filter((link) => link != null)
}

/** Whether the subscriber has seen, read or archived a notification. */
function marksOf({ seenAt, readAt, archivedAt }: NonNullable<Step['notification']>): string {
  if (archivedAt !== null) return 'archived'
  if (readAt !== null) return 'read'
  return seenAt === null ? 'not seen yet' : 'seen'
}

/** True if no message of a step has left the gateway. */
const areCaptured = (deliveries: Step['deliveries']) =>
  deliveries.length > 0 && deliveries.every(({ status, isCaptured }) => isCaptured || status !== 'SENT')

export function StepItem({ step, subject }: { readonly step: Step; readonly subject: Required<Subject> }) {
  const { status, explanation, dueAt, notification, deliveries } = step
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <MessageBadge message={{ status, isCaptured: areCaptured(deliveries) }} />
        <Text size="sm" c="dimmed">
          <Moment at={step.createdAt} />
        </Text>
      </Group>
      <ReasonText
        detail={explanation}
        remedy={remedyFor(step.advice, step.reasonCode === null ? undefined : stepPlaces[step.reasonCode])}
        subject={subject}
      />
      {status === 'WAITING' && dueAt !== null && (
        <Text size="sm">
          The next steps follow <Moment at={dueAt} />.
        </Text>
      )}
      {namedIn(step).map(({ label, to }) => (
        <Text key={to} size="sm">
          <Anchor inherit underline="always" component={Link} to={to}>
            {label}
          </Anchor>
        </Text>
      ))}
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
      {deliveries.map((delivery) => (
        <DeliveryCard key={delivery.id} delivery={delivery} />
      ))}
    </Stack>
  )
}

export const titleOf = ({ type, stepId }: Step): string => `${stepTypes[type].label}: ${stepId}`
