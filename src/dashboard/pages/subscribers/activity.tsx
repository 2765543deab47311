// The runs that concerned a subscriber, also after it was deleted.
import { Anchor, Button, Stack } from '@mantine/core'
import { Link, useParams, useSearchParams } from 'react-router'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { ChoiceFilter, useChoice } from '../../parts/choice-filter.tsx'
import { type Column, ConnectionTable } from '../../parts/connection-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { useFilter } from '../../parts/filter.ts'
import { Filters } from '../../parts/filters.tsx'
import { Moment } from '../../parts/moment.tsx'
import { optionsOf } from '../../parts/options.ts'
import { usePages } from '../../parts/pages.ts'
import { paths } from '../../parts/paths.ts'
import { runStatusLabels, StatusBadge } from '../../parts/status-badge.tsx'
import { TimeFilter } from '../../parts/time-filter.tsx'
import { WorkflowFilter } from '../../parts/workflow-filter.tsx'
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
    // The event, with only this recipient of it.
    cell: ({ subscriberId, event: { transactionId } }) => (
      <Anchor
        inherit
        component={Link}
        to={`${paths.event(transactionId)}?${new URLSearchParams({ subscriber: subscriberId })}`}
      >
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
  { header: 'Run', cell: ({ status }) => <StatusBadge status={status} />, visibleFrom: 'sm' },
  { header: 'Steps', cell: ({ steps }) => <StepOutcomes steps={steps} /> },
  { header: 'When', cell: ({ createdAt }) => <Moment at={createdAt} />, visibleFrom: 'sm' },
]

const statusOptions = optionsOf(runStatusLabels)

export function Component() {
  const { subscriberId = '' } = useParams()
  const pages = usePages()
  const [, setSearch] = useSearchParams()
  const status = useChoice('status', statusOptions)
  const [workflow] = useFilter('workflow')
  const [createdAfter] = useFilter('from')
  const [createdBefore] = useFilter('to')
  const filter = {
    subscriberId,
    ...(status !== null && { status }),
    ...(workflow !== '' && { workflow }),
    ...(createdAfter !== '' && { createdAfter }),
    ...(createdBefore !== '' && { createdBefore }),
  }
  const [{ data, error }, refresh] = useQuery({
    query: activityQuery,
    variables: { ...pages.arguments, filter },
  })
  const isFiltered = Object.keys(filter).length > 1
  return (
    <Stack>
      <Filters>
        <WorkflowFilter />
        <ChoiceFilter label="Status" name="status" options={statusOptions} />
        <TimeFilter label="From" name="from" />
        <TimeFilter label="Until" name="to" />
      </Filters>
      <ConnectionTable
        label="Activity"
        connection={data?.workflowRuns}
        error={error}
        onRetry={() => refresh({ requestPolicy: 'network-only' })}
        columns={columns}
        rowKey={({ id }) => id}
        pages={pages}
        empty={
          isFiltered ? (
            <Empty
              title="No run matches"
              action={
                <Button variant="default" onClick={() => setSearch({})}>
                  Clear the filters
                </Button>
              }
            >
              No run of this subscriber fits all filters.
            </Empty>
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
