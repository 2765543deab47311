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
import { paths } from '../../parts/paths.ts'
import { usePolling } from '../../parts/polling.ts'
import { runStatusLabels, StatusBadge } from '../../parts/status-badge.tsx'
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
    header: 'Status',
    cell: ({ status, error }) => (
      <>
        <StatusBadge status={status} />
        {error !== null && (
          <Text size="xs" c="dimmed" mt={4}>
            {error}
          </Text>
        )}
      </>
    ),
  },
  { header: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} />, visibleFrom: 'sm' },
]

const statusOptions = optionsOf(runStatusLabels)

interface WorkflowRunsProps {
  readonly identifier: string
  readonly onTrigger: () => void
}

export function WorkflowRuns({ identifier, onTrigger }: WorkflowRunsProps) {
  const pages = usePages()
  const canWrite = useCanWrite()
  const status = useChoice('status', statusOptions)
  const query = useQuery({
    query: workflowRunsQuery,
    variables: { ...pages.arguments, filter: { workflow: identifier, status } },
  })
  const [{ data }] = query
  const runs = data?.workflowRuns.nodes ?? []
  // Runs appear shortly after the trigger.
  const mayChange = data !== undefined && (runs.length === 0 || runs.some(({ status }) => status === 'RUNNING'))
  usePolling(mayChange, query)
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-end">
        <Filters>
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
          status === null ? (
            <Empty title="No runs yet" action={canWrite && <Button onClick={onTrigger}>Trigger this workflow</Button>}>
              A trigger starts a run for each recipient. Each run is listed here with its status.
            </Empty>
          ) : (
            <NoMatch title="No run matches">No run of this workflow has this status.</NoMatch>
          )
        }
      />
    </Stack>
  )
}
