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
import { useFilter } from '../../parts/filter.ts'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { usePages } from '../../parts/pages.ts'
import { paths } from '../../parts/paths.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
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

export function Component() {
  const pages = usePages()
  const [search, setSearch] = useSearchParams()
  const [workflow] = useFilter('workflow')
  const reason = useChoice('reason', eventReasonLabels)
  const [{ data, error }, refresh] = useQuery({
    query: eventsQuery,
    variables: { ...pages.arguments, filter: { workflow: workflow === '' ? null : workflow, reason } },
  })
  const isFiltered = search.size > 0
  const clear = isFiltered && (
    <Button variant="default" onClick={() => setSearch({})}>
      Clear the filters
    </Button>
  )
  return (
    <Page title="Events" description="What was triggered, and what came of it.">
      <FilterBar>
        <WorkflowFilter />
        <ChoiceFilter label="Reason" name="reason" labels={eventReasonLabels} />
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
