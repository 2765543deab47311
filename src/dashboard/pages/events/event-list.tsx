// The list of events.
import { Anchor, Button } from '@mantine/core'
import { Link, useSearchParams } from 'react-router'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { ChoiceFilter, useChoice } from '../../parts/choice-filter.tsx'
import { type Column, ConnectionTable } from '../../parts/connection-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { FilterBar } from '../../parts/filter-bar.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { usePages } from '../../parts/pages.ts'
import { paths } from '../../parts/paths.ts'
import { eventStatusLabels, StatusBadge } from '../../parts/status-badge.tsx'
import { TextFilter } from '../../parts/text-filter.tsx'
import { TimeFilter } from '../../parts/time-filter.tsx'
import { WorkflowFilter } from '../../parts/workflow-filter.tsx'
import { countFields, messagesInWords, recipientsOf } from './event-counts.ts'
import { eventReasonLabels } from './reasons.ts'

const eventsQuery = graphql(
  `
    query Events($first: Int, $after: String, $last: Int, $before: String, $filter: EventFilter) {
      events(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        totalCountCapped
        nodes {
          id
          transactionId
          workflowIdentifier
          workflow {
            id
            name
          }
          status
          createdAt
          ...CountFields
        }
        pageInfo {
          ...PageInfoFields
        }
      }
    }
  `,
  [countFields, pageInfoFields],
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
  { header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { header: 'Recipients', cell: (event) => number.format(recipientsOf(event)), visibleFrom: 'md' },
  { header: 'Messages', cell: messagesInWords, visibleFrom: 'md' },
  { header: 'When', cell: ({ createdAt }) => <Moment at={createdAt} />, visibleFrom: 'sm' },
]

/** Returns the filter in the address. An empty text is no condition. */
function useEventFilter() {
  const [search] = useSearchParams()
  const status = useChoice('status', eventStatusLabels)
  const reason = useChoice('reason', eventReasonLabels)
  const contexts = search.get('contexts')
  return {
    status,
    reason,
    transactionId: search.get('transaction'),
    workflow: search.get('workflow'),
    subscriberId: search.get('subscriber'),
    contextKeys: contexts === null ? null : contexts.split(/[\s,]+/),
    createdAfter: search.get('from'),
    createdBefore: search.get('to'),
  }
}

export function Component() {
  const pages = usePages()
  const [search, setSearch] = useSearchParams()
  const filter = useEventFilter()
  const [{ data, error }, refresh] = useQuery({ query: eventsQuery, variables: { ...pages.arguments, filter } })
  const isFiltered = search.size > 0
  const clear = isFiltered && (
    <Button variant="default" onClick={() => setSearch({})}>
      Clear the filters
    </Button>
  )
  return (
    <Page title="Events" description="What was triggered, and what came of it.">
      <FilterBar>
        <TextFilter label="Transaction id" name="transaction" />
        <WorkflowFilter />
        <TextFilter label="Subscriber id" name="subscriber" />
        <ChoiceFilter label="Status" name="status" labels={eventStatusLabels} />
        <ChoiceFilter label="Reason" name="reason" labels={eventReasonLabels} />
        <TextFilter label="Exact contexts" name="contexts" />
        <TimeFilter label="From" name="from" />
        <TimeFilter label="Until" name="to" />
      </FilterBar>
      <ConnectionTable
        label="Events"
        connection={data?.events}
        error={error}
        onRetry={() => refresh({ requestPolicy: 'network-only' })}
        columns={columns}
        rowKey={({ id }) => id}
        pages={pages}
        empty={
          isFiltered ? (
            <Empty title="No event matches" action={clear}>
              No event fits all filters. Finished events are deleted after the retention of the environment.
            </Empty>
          ) : (
            <Empty title="No events yet">
              Trigger a workflow: each trigger becomes an event, whose page shows what happened for each recipient.
            </Empty>
          )
        }
      />
    </Page>
  )
}
