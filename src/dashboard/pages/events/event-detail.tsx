// One event: its trigger, and what happened for each recipient.
import { Alert, Anchor, Button, Text, Title } from '@mantine/core'
import { IconInfoCircle, IconPlayerStop, IconRefresh } from '@tabler/icons-react'
import { Link, useParams } from 'react-router'
import { useQuery } from 'urql'
import { useAct } from '../../graph/act.ts'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { Answer } from '../../parts/answer.tsx'
import { confirmAct } from '../../parts/action/confirm-act.tsx'
import { ContextLinks } from '../../parts/context-links.tsx'
import { Copyable } from '../../parts/copyable.tsx'
import { Facts } from '../../parts/facts.tsx'
import { JsonBlock } from '../../parts/json-block.tsx'
import { showDone, showProblems } from '../../parts/messages.ts'
import { Missing } from '../../parts/missing.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { PauseBanner, pauseFields } from '../../parts/paused.tsx'
import { usePolling } from '../../parts/polling.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { countFields, messagesInWords } from './event-counts.ts'
import { EventRuns } from './event-runs.tsx'
import { eventReasonLabels, eventRemedies } from './reasons.ts'
import { RecipientGroups } from './recipient-groups.tsx'
import { ReasonText } from './remedy.tsx'
import { TriggerRecipients } from './trigger-recipients.tsx'

const eventQuery = graphql(
  `
    query Event($transactionId: String!) {
      event(transactionId: $transactionId) {
        id
        transactionId
        workflowIdentifier
        workflow {
          id
          name
        }
        status
        outcome
        reason
        detail
        notes
        recipients
        actor
        contextKeys
        payload
        overrides
        traceId
        createdAt
        cancelledAt
        pause {
          ...PauseFields
        }
        ...CountFields
      }
    }
  `,
  [countFields, pauseFields],
)

type Event = NonNullable<ResultOf<typeof eventQuery>['event']>

const retryEventMutation = graphql(`
  mutation RetryEvent($input: RetryEventInput!) {
    retryEvent(input: $input) {
      event {
        id
        status
      }
      userErrors {
        message
        field
      }
    }
  }
`)

const cancelEventMutation = graphql(`
  mutation CancelEvent($input: CancelEventInput!) {
    cancelEvent(input: $input) {
      cancelled
      userErrors {
        message
        field
      }
    }
  }
`)

/** True while runs or messages of the event may still change without the user. */
const isUnderWay = ({ status, messageCounts }: Event): boolean =>
  status === 'ACCEPTED' || status === 'RUNNING' || messageCounts.pending > 0

export function Component() {
  const { transactionId = '' } = useParams()
  const query = useQuery({ query: eventQuery, variables: { transactionId } })
  const [{ data }] = query
  const event = data?.event
  usePolling(event ? isUnderWay(event) : false, query)
  return (
    <Page
      title={transactionId}
      parent={{ label: 'Events', to: paths.events }}
      actions={event && <EventActions event={event} />}
    >
      <Answer query={query}>
        {(found) =>
          found.event === null ? (
            <Missing
              what={`event with the transaction id ${transactionId}`}
              list={{ label: 'All events', to: paths.events }}
            />
          ) : (
            <Story event={found.event} />
          )
        }
      </Answer>
    </Page>
  )
}

function EventActions({ event }: { readonly event: Event }) {
  const canWrite = useCanWrite()
  const [retryEvent, retrying] = useAct(retryEventMutation)
  const [cancelEvent] = useAct(cancelEventMutation)
  const { id, transactionId } = event
  if (!canWrite) return null

  const retry = async () => {
    const outcome = await retryEvent({ id })
    if (outcome.ok) showDone('The missing runs are created.')
    else showProblems(outcome.problems)
  }
  const askToCancel = () =>
    confirmAct({
      title: `Cancel event ${transactionId}?`,
      consequence:
        'Steps and messages that are waiting are cancelled. Messages that were sent stay. This cannot be undone.',
      confirm: 'Cancel the event',
      dismiss: 'Keep it',
      onConfirm: async () => {
        const outcome = await cancelEvent({ transactionId })
        if (outcome.ok) showDone('The event is cancelled.')
        else showProblems(outcome.problems)
      },
    })
  return (
    <>
      {event.status === 'FAILED' && (
        <Button leftSection={<IconRefresh size={16} aria-hidden />} loading={retrying} onClick={() => void retry()}>
          Retry event
        </Button>
      )}
      {isUnderWay(event) && event.cancelledAt === null && (
        <Button variant="default" leftSection={<IconPlayerStop size={16} aria-hidden />} onClick={askToCancel}>
          Cancel event
        </Button>
      )}
    </>
  )
}

/** The objects that a pause holds. A message whose integration is paused shows that pause itself. */
const waiting = {
  ENVIRONMENT: 'The environment is paused: what is left of the event waits until it is resumed.',
  INTEGRATION: 'The integration is paused: its messages wait until it is resumed.',
  WORKFLOW: 'The workflow is paused: what is left of the event waits until it is resumed.',
} as const satisfies Record<NonNullable<Event['pause']>['kind'], string>

function Story({ event }: { readonly event: Event }) {
  const { transactionId, workflowIdentifier, workflow, status, reason, detail, notes, pause, cancelledAt } = event
  return (
    <>
      {reason !== null && (
        <Alert
          color={status === 'FAILED' ? 'red' : 'gray'}
          icon={<IconInfoCircle aria-hidden />}
          role="note"
          aria-label="Why nothing was sent"
        >
          <ReasonText
            detail={detail ?? eventReasonLabels[reason]}
            remedy={eventRemedies[reason]}
            subject={{ workflowIdentifier }}
          />
        </Alert>
      )}
      {pause && <PauseBanner pause={pause}>{waiting[pause.kind]}</PauseBanner>}
      {notes.map((note) => (
        <Alert key={note} color="yellow" icon={<IconInfoCircle aria-hidden />} role="note">
          <Text size="sm">{note}</Text>
        </Alert>
      ))}
      <Facts
        facts={{
          Outcome: <StatusBadge status={event.outcome} />,
          Status: <StatusBadge status={status} />,
          Workflow: (
            <Anchor inherit component={Link} to={paths.workflow(workflowIdentifier)}>
              {workflow?.name ?? `${workflowIdentifier} (deleted)`}
            </Anchor>
          ),
          Accepted: <Moment at={event.createdAt} />,
          ...(cancelledAt !== null && { Cancelled: <Moment at={cancelledAt} /> }),
          To: <TriggerRecipients recipients={event.recipients} />,
          ...(event.actor !== null && {
            Actor: (
              <Anchor inherit component={Link} to={paths.subscriber(event.actor)}>
                {event.actor}
              </Anchor>
            ),
          }),
          Contexts: <ContextLinks keys={event.contextKeys} />,
          Recipients: <RecipientGroups transactionId={transactionId} recipientCounts={event.recipientCounts} />,
          Messages: messagesInWords(event),
          Payload: <JsonBlock value={event.payload} label="Payload" />,
          ...(Object.keys(event.overrides).length > 0 && {
            Overrides: <JsonBlock value={event.overrides} label="Overrides" />,
          }),
          ...(event.traceId !== null && { 'Trace id': <Copyable value={event.traceId} label="trace id" /> }),
        }}
      />
      <Title order={2} size="h4">
        Recipients
      </Title>
      <EventRuns
        transactionId={transactionId}
        workflowIdentifier={workflowIdentifier}
        isUnderWay={isUnderWay(event)}
        isPaused={pause !== null}
      />
    </>
  )
}
