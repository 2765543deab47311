// The recent runs of a workflow, one for each recipient of its events.
import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { ChoiceFilter, useChoice } from '../../parts/filter/choice-filter.tsx'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Filters } from '../../parts/filter/filters.tsx'
import { Moment } from '../../parts/moment.tsx'
import { NoMatch } from '../../parts/filter/no-match.tsx'
import { optionsOf } from '../../parts/options.ts'
import { usePages } from '../../parts/list/pages.ts'
import { reasonInWords } from '../events/reasons.ts'
import { isFiltered, useFilterValue } from '../../parts/filter/filter.ts'
import { TextFilter } from '../../parts/filter/text-filter.tsx'
import { paths } from '../../parts/paths.ts'
import { usePolling } from '../../parts/polling.ts'
import { runOutcomeLabels, runStatusLabels, StatusBadge } from '../../parts/status-badge.tsx'
import { useCanWrite } from '../../session/session-context.ts'

const workflowRunsQuery = graphql(
  `
    query WorkflowRuns($first: Int, $after: String, $last: Int, $before: String, $filter: WorkflowRunFilter) {
      workflowRuns(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        totalCountCapped
        nodes {
          id
          status
          outcome
          reason
          error
          subscriberId
          subscriber {
            id
          }
          event {
            id
            transactionId
          }
          createdAt
        }
        pageInfo {
          ...PageInfoFields
        }
      }
    }
  `,
  [pageInfoFields],
)

type Run = ResultOf<typeof workflowRunsQuery>['workflowRuns']['nodes'][number]

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
    header: 'Subscriber',
    cell: ({ subscriberId, subscriber }) =>
      subscriber === null ? (
        <Text inherit span>
          {subscriberId} (deleted)
        </Text>
      ) : (
        <Anchor inherit component={Link} to={paths.subscriber(subscriberId)}>
          {subscriberId}
        </Anchor>
      ),
  },
  {
    header: 'Outcome',
    cell: ({ outcome, reason, error }) => (
      <>
        <StatusBadge status={outcome} />
        {(error ?? reason) !== null && (
          <Text size="xs" c="dimmed" mt={4}>
            {error ?? (reason && reasonInWords(reason))}
          </Text>
        )}
      </>
    ),
  },
  { header: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} />, visibleFrom: 'sm' },
]

const outcomeOptions = optionsOf(runOutcomeLabels)
const statusOptions = optionsOf(runStatusLabels)

interface WorkflowRunsProps {
  readonly identifier: string
  readonly onTrigger: () => void
}

export function WorkflowRuns({ identifier, onTrigger }: WorkflowRunsProps) {
  const pages = usePages()
  const canWrite = useCanWrite()
  const conditions = {
    outcome: useChoice('outcome', outcomeOptions),
    reason: useFilterValue('reason'),
    status: useChoice('status', statusOptions),
  }
  const query = useQuery({
    query: workflowRunsQuery,
    variables: { ...pages.arguments, filter: { ...conditions, workflowIdentifier: identifier } },
  })
  const [{ data }] = query
  const runs = data?.workflowRuns.nodes ?? []
  // Runs appear shortly after the trigger.
  const mayChange =
    data !== undefined &&
    (runs.length === 0 || runs.some(({ status, outcome }) => status !== 'WAITING' && outcome === 'PENDING'))
  usePolling(mayChange, query)
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-end">
        <Filters>
          <ChoiceFilter label="Outcome" name="outcome" options={outcomeOptions} />
          <TextFilter label="Reason" name="reason" />
          <ChoiceFilter label="Status" name="status" options={statusOptions} />
        </Filters>
        <Anchor component={Link} size="sm" to={`${paths.events}?workflow=${encodeURIComponent(identifier)}`}>
          All events of this workflow
        </Anchor>
      </Group>
      <ConnectionTable
        label="Recent runs"
        query={query}
        connectionOf={({ workflowRuns }) => workflowRuns}
        columns={columns}
        pages={pages}
        empty={
          !isFiltered(conditions) ? (
            <Empty title="No runs yet" action={canWrite && <Button onClick={onTrigger}>Trigger this workflow</Button>}>
              A trigger starts a run for each recipient. Each run is listed here with its outcome.
            </Empty>
          ) : (
            <NoMatch title="No run matches">No run of this workflow fits all filters.</NoMatch>
          )
        }
      />
    </Stack>
  )
}
