// The runs that concerned a subscriber, also after it was deleted.
import { Anchor, Select, Stack } from '@mantine/core'
import { Link, useParams } from 'react-router'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { clearButton } from '../../parts/clear-button.ts'
import { type Column, ConnectionTable } from '../../parts/connection-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { useFilter } from '../../parts/filter.ts'
import { Moment } from '../../parts/moment.tsx'
import { usePages } from '../../parts/pages.ts'
import { paths } from '../../parts/paths.ts'
import { isRunStatus, RunStatusBadge, runStatuses } from '../../parts/run-status.tsx'
import { StepOutcomes } from './step-outcomes.tsx'

const activityQuery = graphql(
  `
    query SubscriberActivity($first: Int, $after: String, $last: Int, $before: String, $filter: WorkflowRunFilter) {
      workflowRuns(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        totalCountCapped
        nodes {
          id
          status
          error
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
    cell: ({ event: { transactionId } }) => (
      <Anchor inherit component={Link} to={paths.event(transactionId)}>
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
  { header: 'Run', cell: ({ status }) => <RunStatusBadge status={status} />, visibleFrom: 'sm' },
  { header: 'Steps', cell: ({ steps }) => <StepOutcomes steps={steps} /> },
  { header: 'When', cell: ({ createdAt }) => <Moment at={createdAt} />, visibleFrom: 'sm' },
]

export function Component() {
  const { subscriberId = '' } = useParams()
  const pages = usePages()
  const [value, setStatus] = useFilter('status')
  const status = isRunStatus(value) ? value : null
  const [{ data, error }, refresh] = useQuery({
    query: activityQuery,
    variables: { ...pages.arguments, filter: { subscriberId, status } },
  })
  return (
    <Stack>
      <Select
        aria-label="Status"
        placeholder="Any status"
        clearable
        clearButtonProps={clearButton('Clear the status')}
        data={runStatuses}
        value={status}
        onChange={setStatus}
        maw={260}
      />
      <ConnectionTable
        label="Activity"
        connection={data?.workflowRuns}
        error={error}
        onRetry={() => refresh({ requestPolicy: 'network-only' })}
        columns={columns}
        rowKey={({ id }) => id}
        pages={pages}
        empty={
          status === null ? (
            <Empty title="No activity yet">
              No event has reached this subscriber, or its runs were deleted after the retention period.
            </Empty>
          ) : (
            <Empty title="No run matches">No run of this subscriber has this status.</Empty>
          )
        }
      />
    </Stack>
  )
}
