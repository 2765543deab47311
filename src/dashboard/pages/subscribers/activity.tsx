// The runs for a subscriber, even after it was deleted.
import { Stack } from '@mantine/core'
import { useParams } from 'react-router'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { useLive } from '../../graph/live.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { ChoicesFilter, useChoices } from '../../parts/filter/choices-filter.tsx'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { isFiltered } from '../../parts/filter/filter.ts'
import { Filters } from '../../parts/filter/filters.tsx'
import { Moment } from '../../parts/moment.tsx'
import { NoMatch } from '../../parts/filter/no-match.tsx'
import { optionsOf } from '../../parts/options.ts'
import { type PageArguments, usePages } from '../../parts/list/pages.ts'
import { paths } from '../../parts/paths.ts'
import { runOutcomeLabels, runStatusLabels, StatusBadge } from '../../parts/badge/status-badge.tsx'
import { TimeFilter, useTimeFilter } from '../../parts/filter/time-filter.tsx'
import { useChosenWorkflows, WorkflowFilter } from '../../parts/filter/workflow-filter.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { cancelRows } from '../events/run-cancellation.ts'
import { StepOutcomes } from './step-outcomes.tsx'
import { RowLink } from '../../parts/row-link.tsx'

const activityQuery = graphql(
  `
    query SubscriberActivity($first: Int, $after: String, $last: Int, $before: String, $filter: WorkflowRunFilter) {
      changePosition
      workflowRuns(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        totalCountCapped
        nodes {
          id
          outcome
          cancellable
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
      <RowLink to={paths.recipient(transactionId, subscriberId)}>{transactionId}</RowLink>
    ),
    text: ({ event }) => event.transactionId,
  },
  {
    header: 'Workflow',
    cell: ({ event: { workflowIdentifier } }) => (
      <RowLink to={paths.workflow(workflowIdentifier)}>{workflowIdentifier}</RowLink>
    ),
    text: ({ event }) => event.workflowIdentifier,
    visibleFrom: 'sm',
  },
  {
    header: 'Outcome',
    cell: ({ outcome }) => <StatusBadge status={outcome} />,
    text: ({ outcome }) => outcome,
    visibleFrom: 'sm',
  },
  { header: 'Steps', cell: ({ steps }) => <StepOutcomes steps={steps} /> },
  {
    header: 'When',
    cell: ({ createdAt }) => <Moment at={createdAt} />,
    text: ({ createdAt }) => createdAt,
    visibleFrom: 'sm',
  },
]

const outcomeOptions = optionsOf(runOutcomeLabels)
const statusOptions = optionsOf(runStatusLabels)

export function Component() {
  const { subscriberId = '' } = useParams()
  const pages = usePages('', [20, 50])
  const canWrite = useCanWrite()
  const conditions = {
    outcomes: useChoices('outcome', outcomeOptions),
    statuses: useChoices('status', statusOptions),
    workflowIdentifiers: useChosenWorkflows(),
    ...useTimeFilter(),
  }
  const variablesOf = (page: PageArguments) => ({ ...page, filter: { ...conditions, subscriberId } })
  const query = useQuery({ query: activityQuery, variables: variablesOf(pages.arguments) })
  useLive(query, { subscriberId })
  return (
    <Stack>
      <Filters>
        <WorkflowFilter />
        <ChoicesFilter label="Outcome" name="outcome" options={outcomeOptions} />
        <ChoicesFilter label="Status" name="status" options={statusOptions} />
        <TimeFilter />
      </Filters>
      <ConnectionTable
        label="Activity"
        isLive
        query={query}
        source={{ document: activityQuery, variablesOf }}
        acts={canWrite ? [cancelRows({ ...conditions, subscriberId })] : []}
        nameOf={({ event }) => `the run of ${event.transactionId}`}
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
