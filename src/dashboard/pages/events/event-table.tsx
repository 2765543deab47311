// A list of events as a table.
import type { ReactNode } from 'react'
import { useQuery } from 'urql'
import { graphql, type ResultOf, type VariablesOf } from '../../graph/graphql.ts'
import { useLive } from '../../graph/live.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { isFiltered } from '../../parts/filter/filter.ts'
import { retriedEventName } from '../../parts/bulk/acts.ts'
import type { RowAct } from '../../parts/list/action-bar.tsx'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { Moment } from '../../parts/moment.tsx'
import { type PageArguments, usePages } from '../../parts/list/pages.ts'
import { paths } from '../../parts/paths.ts'
import { StatusBadge } from '../../parts/badge/status-badge.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { countFields, messagesInWords } from './event-counts.ts'
import { eventRowFields } from './event-row.ts'
import { RowLink } from '../../parts/row-link.tsx'

const eventsQuery = graphql(
  `
    query Events($first: Int, $after: String, $last: Int, $before: String, $filter: EventFilter) {
      changePosition
      events(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        totalCountCapped
        nodes {
          ...EventRowFields
          ...CountFields
        }
        pageInfo {
          ...PageInfoFields
        }
      }
    }
  `,
  [countFields, eventRowFields, pageInfoFields],
)

type Event = ResultOf<typeof eventsQuery>['events']['nodes'][number]

const number = new Intl.NumberFormat()

const columns: readonly Column<Event>[] = [
  {
    header: 'Transaction id',
    cell: ({ transactionId }) => <RowLink to={paths.event(transactionId)}>{transactionId}</RowLink>,
    text: ({ transactionId }) => transactionId,
  },
  {
    header: 'Workflow',
    cell: ({ workflowIdentifier, workflow }) => (
      <RowLink to={paths.workflow(workflowIdentifier)}>{workflow?.name ?? workflowIdentifier}</RowLink>
    ),
    text: ({ workflowIdentifier }) => workflowIdentifier,
  },
  { header: 'Outcome', cell: ({ outcome }) => <StatusBadge status={outcome} />, text: ({ outcome }) => outcome },
  {
    header: 'Recipients',
    cell: ({ recipientCounts }) => number.format(recipientCounts.total),
    text: ({ recipientCounts }) => recipientCounts.total,
    visibleFrom: 'md',
  },
  { header: 'Messages', cell: messagesInWords, text: messagesInWords, visibleFrom: 'md' },
  {
    header: 'When',
    cell: ({ createdAt }) => <Moment at={createdAt} />,
    text: ({ createdAt }) => createdAt,
    visibleFrom: 'sm',
  },
]

type EventFilter = NonNullable<VariablesOf<typeof eventsQuery>['filter']>

/**
 * The filter of a cancellation with the same events. Undefined if it has no such condition, or none at all. With a
 * subscriber, it would only cancel the subscriber's runs of these events.
 */
function cancellationOf({ workflowIdentifiers, contextKeys, createdAfter, createdBefore, ...others }: EventFilter) {
  const filter = { workflowIdentifiers, contextKeys, createdAfter, createdBefore }
  return isFiltered(filter) && !isFiltered(others) ? filter : undefined
}

const actsFor = (filter: EventFilter): readonly RowAct<Event>[] => [
  {
    act: 'retryEvents',
    label: 'Retry',
    consequence:
      'Missing runs are created. For recipients who missed a message, the steps that failed are executed again. What was sent is not sent again.',
    nothing: 'Select an event.',
    nameOf: ({ transactionId, status }) => retriedEventName(status, transactionId),
  },
  {
    act: 'cancelEvents',
    label: 'Cancel',
    consequence:
      'Steps and messages that are waiting are cancelled. Messages that were sent stay. This cannot be undone.',
    nothing: 'All of these events are over.',
    nameOf: ({ transactionId, status }) => (status === 'ACCEPTED' || status === 'RUNNING' ? transactionId : null),
    filter: cancellationOf(filter),
  },
]

interface EventTableProps {
  readonly filter: EventFilter
  /** Shown if no event matches. */
  readonly empty: ReactNode
}

export function EventTable({ filter, empty }: EventTableProps) {
  const pages = usePages()
  const canWrite = useCanWrite()
  const variablesOf = (page: PageArguments) => ({ ...page, filter })
  const query = useQuery({ query: eventsQuery, variables: variablesOf(pages.arguments) })
  useLive(query)
  return (
    <ConnectionTable
      label="Events"
      isLive
      query={query}
      source={{ document: eventsQuery, variablesOf }}
      acts={canWrite ? actsFor(filter) : []}
      nameOf={({ transactionId }) => transactionId}
      connectionOf={({ events }) => events}
      columns={columns}
      pages={pages}
      empty={empty}
    />
  )
}
