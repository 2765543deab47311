// A list of events as a table.
import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useQuery } from 'urql'
import { graphql, type ResultOf, type VariablesOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { Moment } from '../../parts/moment.tsx'
import { usePages } from '../../parts/list/pages.ts'
import { paths } from '../../parts/paths.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { countFields, messagesInWords } from './event-counts.ts'
import { eventRowFields } from './event-row.ts'

const eventsQuery = graphql(
  `
    query Events($first: Int, $after: String, $last: Int, $before: String, $filter: EventFilter) {
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
    cell: ({ transactionId }) => (
      <Anchor inherit component={Link} to={paths.event(transactionId)}>
        {transactionId}
      </Anchor>
    ),
  },
  {
    header: 'Workflow',
    cell: ({ workflowIdentifier, workflow }) => (
      <Anchor inherit component={Link} to={paths.workflow(workflowIdentifier)}>
        {workflow?.name ?? workflowIdentifier}
      </Anchor>
    ),
  },
  { header: 'Outcome', cell: ({ outcome }) => <StatusBadge status={outcome} /> },
  { header: 'Recipients', cell: ({ recipientCounts }) => number.format(recipientCounts.total), visibleFrom: 'md' },
  { header: 'Messages', cell: messagesInWords, visibleFrom: 'md' },
  { header: 'When', cell: ({ createdAt }) => <Moment at={createdAt} />, visibleFrom: 'sm' },
]

interface EventTableProps {
  readonly filter: NonNullable<VariablesOf<typeof eventsQuery>['filter']>
  /** Shown if no event matches. */
  readonly empty: ReactNode
}

export function EventTable({ filter, empty }: EventTableProps) {
  const pages = usePages()
  const query = useQuery({ query: eventsQuery, variables: { ...pages.arguments, filter } })
  return (
    <ConnectionTable
      label="Events"
      query={query}
      connectionOf={({ events }) => events}
      columns={columns}
      pages={pages}
      empty={empty}
    />
  )
}
