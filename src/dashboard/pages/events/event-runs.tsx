// The recipients of an event: its runs, a page at a time, filtered by status and subscriber.
import { Group, Select, Stack } from '@mantine/core'
import { useQuery } from 'urql'
import { graphql } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { Answer } from '../../parts/answer.tsx'
import { Empty } from '../../parts/empty.tsx'
import { useFilter } from '../../parts/filter.ts'
import { Pager } from '../../parts/pager.tsx'
import { usePages } from '../../parts/pages.ts'
import { usePolling } from '../../parts/polling.ts'
import { SearchInput } from '../../parts/search-input.tsx'
import { labelOf, type RunStatus } from '../../parts/status-badge.tsx'
import { RunCard, runFields } from './run-card.tsx'

const eventRunsQuery = graphql(
  `
    query EventRuns(
      $transactionId: String!
      $first: Int
      $after: String
      $last: Int
      $before: String
      $status: RunStatus
      $subscriberId: String
    ) {
      event(transactionId: $transactionId) {
        id
        runs(first: $first, after: $after, last: $last, before: $before, status: $status, subscriberId: $subscriberId) {
          totalCount
          totalCountCapped
          nodes {
            ...RunFields
          }
          pageInfo {
            ...PageInfoFields
          }
        }
      }
    }
  `,
  [runFields, pageInfoFields],
)

const statuses = ['RUNNING', 'WAITING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const satisfies readonly RunStatus[]
const options = statuses.map((value) => ({ value, label: labelOf(value) }))

interface EventRunsProps {
  readonly transactionId: string
  readonly workflowIdentifier: string
  /** True while more may happen. */
  readonly isUnderWay: boolean
}

export function EventRuns({ transactionId, workflowIdentifier, isUnderWay }: EventRunsProps) {
  const pages = usePages()
  const [status, setStatus] = useFilter('status')
  const [subscriberId] = useFilter('subscriber')
  const [{ data, error }, refresh] = useQuery({
    query: eventRunsQuery,
    variables: {
      transactionId,
      ...pages.arguments,
      status: statuses.find((one) => one === status) ?? null,
      subscriberId: subscriberId === '' ? null : subscriberId,
    },
  })
  const ask = () => refresh({ requestPolicy: 'network-only' })
  usePolling(isUnderWay, ask)

  const isFiltered = status !== '' || subscriberId !== ''
  return (
    <Stack gap="sm">
      <Group>
        <SearchInput label="Exact subscriber id" name="subscriber" />
        <Select
          aria-label="Status of the run"
          placeholder="Any status"
          clearable
          clearButtonProps={{ 'aria-label': 'Clear the status' }}
          data={options}
          value={status === '' ? null : status}
          onChange={setStatus}
          w={180}
        />
      </Group>
      <Answer data={data?.event?.runs} error={error} onRetry={ask}>
        {(runs) =>
          runs.nodes.length === 0 ? (
            <Empty title={isFiltered ? 'No recipient matches' : 'No runs'}>
              {isFiltered
                ? 'Clear the filters to see every recipient.'
                : isUnderWay
                  ? 'The recipients get their runs in a moment.'
                  : 'Nobody was notified: the reason is above.'}
            </Empty>
          ) : (
            <>
              {runs.nodes.map((run) => (
                <RunCard key={run.id} run={run} workflowIdentifier={workflowIdentifier} />
              ))}
              <Pager connection={runs} pages={pages} />
            </>
          )
        }
      </Answer>
    </Stack>
  )
}
