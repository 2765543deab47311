// The runs for a subscriber, even after it was deleted.
import { Anchor, Stack } from '@mantine/core'
import { Link, useParams } from 'react-router'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { ChoiceFilter, useChoice } from '../../parts/filter/choice-filter.tsx'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { isFiltered, useFilterValue } from '../../parts/filter/filter.ts'
import { Filters } from '../../parts/filter/filters.tsx'
import { Moment } from '../../parts/moment.tsx'
import { NoMatch } from '../../parts/filter/no-match.tsx'
import { optionsOf } from '../../parts/options.ts'
import { usePages } from '../../parts/list/pages.ts'
import { paths } from '../../parts/paths.ts'
import { runOutcomeLabels, runStatusLabels, StatusBadge } from '../../parts/status-badge.tsx'
import { TimeFilter } from '../../parts/filter/time-filter.tsx'
import { WorkflowFilter } from '../../parts/filter/workflow-filter.tsx'
import { StepOutcomes } from './step-outcomes.tsx'

const activityQuery = graphql(
  `
    query SubscriberActivity($first: Int, $after: String, $last: Int, $before: String, $filter: WorkflowRunFilter) {
      workflowRuns(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        totalCountCapped
        nodes {
          id
          outcome
          subscriberId
          createdAt
          steps {
            stepId
            type
            status
            detail
          }
          event {
            id
            transactionId
            workflowIdentifier
          }
        }
        pageInfo {
          ...PageInfoFields
        }
      }
    }
  `,
  [pageInfoFields],
)

type Run = ResultOf<typeof activityQuery>['workflowRuns']['nodes'][number]

const columns: readonly Column<Run>[] = [
  {
    header: 'Event',
    cell: ({ subscriberId, event: { transactionId } }) => (
      <Anchor inherit component={Link} to={paths.recipient(transactionId, subscriberId)}>
        {transactionId}
      </Anchor>
    ),
  },
  {
    header: 'Workflow',
    cell: ({ event: { workflowIdentifier } }) => (
      <Anchor inherit component={Link} to={paths.workflow(workflowIdentifier)}>
        {workflowIdentifier}
      </Anchor>
    ),
    visibleFrom: 'sm',
  },
  { header: 'Outcome', cell: ({ outcome }) => <StatusBadge status={outcome} />, visibleFrom: 'sm' },
  { header: 'Steps', cell: ({ steps }) => <StepOutcomes steps={steps} /> },
  { header: 'When', cell: ({ createdAt }) => <Moment at={createdAt} />, visibleFrom: 'sm' },
]

const outcomeOptions = optionsOf(runOutcomeLabels)
const statusOptions = optionsOf(runStatusLabels)

export function Component() {
  const { subscriberId = '' } = useParams()
  const pages = usePages()
  const conditions = {
    outcome: useChoice('outcome', outcomeOptions),
    status: useChoice('status', statusOptions),
    workflowIdentifier: useFilterValue('workflow'),
    createdAfter: useFilterValue('from'),
    createdBefore: useFilterValue('to'),
  }
  const query = useQuery({
    query: activityQuery,
    variables: { ...pages.arguments, filter: { ...conditions, subscriberId } },
  })
  return (
    <Stack>
      <Filters>
        <WorkflowFilter />
        <ChoiceFilter label="Outcome" name="outcome" options={outcomeOptions} />
        <ChoiceFilter label="Status" name="status" options={statusOptions} />
        <TimeFilter label="From" name="from" />
        <TimeFilter label="Until" name="to" />
      </Filters>
      <ConnectionTable
        label="Activity"
        query={query}
        connectionOf={({ workflowRuns }) => workflowRuns}
        columns={columns}
        pages={pages}
        empty={
          isFiltered(conditions) ? (
            <NoMatch title="No run matches">No run of this subscriber fits all filters.</NoMatch>
          ) : (
            <Empty title="No activity yet">
              No event has reached this subscriber, or its runs were deleted after the retention period.
            </Empty>
          )
        }
      />
    </Stack>
  )
}
