// One event: its trigger, and what happened for each recipient.
import { Alert, Text, Title } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { useParams } from 'react-router'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { useLive } from '../../graph/live.ts'
import { useTimely } from '../../parts/clock.ts'
import { Answer } from '../../parts/answer.tsx'
import { ContextLinks } from '../../parts/context-links.tsx'
import { Copyable } from '../../parts/copyable.tsx'
import { Facts } from '../../parts/facts.tsx'
import { JsonBlock } from '../../parts/json-block.tsx'
import { Missing } from '../../parts/missing.tsx'
import { ExactMoment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { PauseBanner, pauseFields } from '../../parts/paused.tsx'
import { StatusBadge } from '../../parts/badge/status-badge.tsx'
import { EventActions, isUnderWay } from './event-actions.tsx'
import { countFields, messagesInWords } from './event-counts.ts'
import { EventFiles, fileFields } from './event-files.tsx'
import { EventRuns } from './event-runs.tsx'
import { eventHeading, eventTitle } from './event-title.ts'
import { eventPlaces, eventReasonLabels, remedyFor } from './reasons.ts'
import { RecipientGroups } from './recipient-groups.tsx'
import { ReasonText } from './remedy.tsx'
import { Named, recipientFields, TriggerRecipients } from './trigger-recipients.tsx'
import { snapshotFields, StepsAsTheyWere, versionInWords } from './workflow-snapshot.tsx'

const eventQuery = graphql(
  `
    query Event($transactionId: String!) {
      changePosition
      event(transactionId: $transactionId) {
        id
        transactionId
        workflowIdentifier
        status
        outcome
        reason
        detail
        advice
        notes
        repeats(first: 1) {
          totalCount
        }
        actorSubscriberId
        actorSubscriber {
          id
        }
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
        ...FileFields
        ...RecipientFields
        ...SnapshotFields
      }
    }
  `,
  [countFields, fileFields, pauseFields, recipientFields, snapshotFields],
)

type Event = NonNullable<ResultOf<typeof eventQuery>['event']>

export function Component() {
  const { transactionId = '' } = useParams()
  const query = useQuery({ query: eventQuery, variables: { transactionId } })
  const [{ data }] = query
  const event = data?.event
  useLive(query, { transactionId })
  const heading = useTimely(() => (event ? eventHeading(event) : transactionId))
  return (
    <Page
      title={event ? eventTitle(event) : transactionId}
      heading={heading}
      description={<Copyable value={transactionId} label="transaction id" />}
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

/** The objects that a pause holds. A message whose integration is paused shows that pause itself. */
const waiting = {
  ENVIRONMENT: 'The environment is paused: what is left of the event waits until it is resumed.',
  INTEGRATION: 'The integration is paused: its messages wait until it is resumed.',
  WORKFLOW: 'The workflow is paused: what is left of the event waits until it is resumed.',
} as const satisfies Record<NonNullable<Event['pause']>['kind'], string>

/** What happened to the recipients comes before what was triggered, so that the reason of a failure is in view. */
function Story({ event }: { readonly event: Event }) {
  const { transactionId, workflowIdentifier, workflow, status, reason, detail, notes, pause, cancelledAt } = event
  const { actorSubscriberId, workflowSnapshot } = event
  const version = versionInWords(event)
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
            remedy={remedyFor(event.advice, eventPlaces[reason])}
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
            <>
              <Named
                name={workflow?.name ?? workflowSnapshot.name}
                to={workflow && paths.workflow(workflowIdentifier)}
              />
              {version !== null && `, ${version}`}
            </>
          ),
          Accepted: <ExactMoment at={event.createdAt} />,
          ...(cancelledAt !== null && { Cancelled: <ExactMoment at={cancelledAt} /> }),
          ...(event.repeats.totalCount > 0 && {
            Repeats: <Named name="Triggers that repeated the transaction id" to={paths.repeats(transactionId)} />,
          }),
          To: <TriggerRecipients to={event.to} />,
          ...(actorSubscriberId !== null && {
            Actor: <Named name={actorSubscriberId} to={event.actorSubscriber && paths.subscriber(actorSubscriberId)} />,
          }),
          Contexts: <ContextLinks keys={event.contextKeys} />,
          Recipients: <RecipientGroups transactionId={transactionId} recipientCounts={event.recipientCounts} />,
          Messages: messagesInWords(event),
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
      <Title order={2} size="h4">
        Trigger
      </Title>
      <Facts
        facts={{
          Payload: <JsonBlock value={event.payload} label="Payload" />,
          ...(Object.keys(event.overrides).length > 0 && {
            Overrides: <JsonBlock value={event.overrides} label="Overrides" />,
          }),
          ...(event.attachments.length > 0 && { Attachments: <EventFiles files={event.attachments} /> }),
          ...(event.traceId !== null && { 'Trace id': <Copyable value={event.traceId} label="trace id" /> }),
          Steps: <StepsAsTheyWere steps={workflowSnapshot.steps} />,
        }}
      />
    </>
  )
}
