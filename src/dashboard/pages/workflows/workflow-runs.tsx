// The recent runs of a workflow, one for each recipient of its events.
import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { type Column, ConnectionTable } from '../../parts/connection-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Moment } from '../../parts/moment.tsx'
import { usePages } from '../../parts/pages.ts'
import { paths } from '../../parts/paths.ts'
import { usePolling } from '../../parts/polling.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useCanWrite } from '../../session/session-context.ts'

const workflowRunsQuery = graphql(
  `
    query WorkflowRuns($workflow: String!, $first: Int, $after: String, $last: Int, $before: String) {
      workflowRuns(first: $first, after: $after, last: $last, before: $before, filter: { workflow: $workflow }) {
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
    cell: ({ event: { transactionId } }) => (
      <Anchor inherit component={Link} to={paths.event(transactionId)}>
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

interface WorkflowRunsProps {
  readonly identifier: string
  readonly onTrigger: () => void
}

export function WorkflowRuns({ identifier, onTrigger }: WorkflowRunsProps) {
  const pages = usePages()
  const canWrite = useCanWrite()
  const [{ data, error }, refresh] = useQuery({
    query: workflowRunsQuery,
    variables: { workflow: identifier, ...pages.arguments },
  })
  const runs = data?.workflowRuns.nodes ?? []
  const readAgain = () => refresh({ requestPolicy: 'network-only' })
  // Runs appear a moment after the trigger.
  usePolling(data !== undefined && (runs.length === 0 || runs.some(({ status }) => status === 'RUNNING')), readAgain)
  return (
    <Stack gap="sm">
      <Group justify="flex-end">
        <Anchor component={Link} size="sm" to={`${paths.events}?workflow=${encodeURIComponent(identifier)}`}>
          All events of this workflow
        </Anchor>
      </Group>
      <ConnectionTable
        label="Recent runs"
        connection={data?.workflowRuns}
        error={error}
        onRetry={readAgain}
        columns={columns}
        rowKey={({ id }) => id}
        pages={pages}
        empty={
          <Empty title="No runs yet" action={canWrite && <Button onClick={onTrigger}>Trigger this workflow</Button>}>
            A trigger starts a run for each recipient. Each run is listed here with its status.
          </Empty>
        }
      />
    </Stack>
  )
}
