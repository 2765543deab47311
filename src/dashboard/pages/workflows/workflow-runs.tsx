// The recent runs of a workflow, one for each recipient of its events.
import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { useLive } from '../../graph/live.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { ChoicesFilter, useChoices } from '../../parts/filter/choices-filter.tsx'
import type { RowAct } from '../../parts/list/action-bar.tsx'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Filters } from '../../parts/filter/filters.tsx'
import { Moment } from '../../parts/moment.tsx'
import { NoMatch } from '../../parts/filter/no-match.tsx'
import { optionsOf } from '../../parts/options.ts'
import { type PageArguments, usePages } from '../../parts/list/pages.ts'
import { runReasonLabels } from '../events/reasons.ts'
import { cancelRows } from '../events/run-cancellation.ts'
import { isFiltered } from '../../parts/filter/filter.ts'
import { paths } from '../../parts/paths.ts'
import { runOutcomeLabels, runStatusLabels, StatusBadge } from '../../parts/badge/status-badge.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { RowLink } from '../../parts/row-link.tsx'

const workflowRunsQuery = graphql(
  `
    query WorkflowRuns($first: Int, $after: String, $last: Int, $before: String, $filter: WorkflowRunFilter) {
      changePosition
      workflowRuns(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        totalCountCapped
        nodes {
          id
          status
          outcome
          cancellable
          reasonCode
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
      <RowLink to={paths.recipient(transactionId, subscriberId)}>{transactionId}</RowLink>
    ),
    text: ({ event }) => event.transactionId,
  },
  {
    header: 'Subscriber',
    cell: ({ subscriberId, subscriber }) =>
      subscriber === null ? (
        <Text inherit span>
          {subscriberId} (deleted)
        </Text>
      ) : (
        <RowLink to={paths.subscriber(subscriberId)}>{subscriberId}</RowLink>
      ),
    text: ({ subscriberId }) => subscriberId,
  },
  {
    header: 'Outcome',
    cell: ({ outcome, reasonCode, error }) => (
      <>
        <StatusBadge status={outcome} />
        {(error ?? reasonCode) !== null && (
          <Text size="xs" c="dimmed" mt={4}>
            {error ?? (reasonCode && runReasonLabels[reasonCode])}
          </Text>
        )}
      </>
    ),
    text: ({ outcome }) => outcome,
  },
  {
    header: 'Created',
    cell: ({ createdAt }) => <Moment at={createdAt} />,
    text: ({ createdAt }) => createdAt,
    visibleFrom: 'sm',
  },
]

const retry: RowAct<Run> = {
  act: 'retryRuns',
  label: 'Retry',
  consequence:
    'The steps that failed are executed again with the workflow of the trigger. What was sent is not sent again.',
  nothing: 'No recipient missed a message for a reason that a retry can change.',
  nameOf: ({ id }) => id,
}

const outcomeOptions = optionsOf(runOutcomeLabels)
const reasonOptions = optionsOf(runReasonLabels)
const statusOptions = optionsOf(runStatusLabels)

interface WorkflowRunsProps {
  readonly identifier: string
  readonly onTrigger: () => void
}

export function WorkflowRuns({ identifier, onTrigger }: WorkflowRunsProps) {
  const pages = usePages()
  const canWrite = useCanWrite()
  const conditions = {
    outcomes: useChoices('outcome', outcomeOptions),
    reasons: useChoices('reason', reasonOptions),
    statuses: useChoices('status', statusOptions),
  }
  const variablesOf = (page: PageArguments) => ({ ...page, filter: { ...conditions, workflowIdentifier: identifier } })
  const query = useQuery({ query: workflowRunsQuery, variables: variablesOf(pages.arguments) })
  useLive(query, { workflowIdentifier: identifier })
  const { statuses, ...retriable } = conditions
  // A retry selects ended runs, whatever their status is.
  const retryFilter = statuses === null ? { ...retriable, workflowIdentifier: identifier } : undefined
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-end">
        <Filters>
          <ChoicesFilter label="Outcome" name="outcome" options={outcomeOptions} />
          <ChoicesFilter label="Reason" name="reason" options={reasonOptions} />
          <ChoicesFilter label="Status" name="status" options={statusOptions} />
        </Filters>
        <Anchor component={Link} size="sm" to={`${paths.events}?workflow=${encodeURIComponent(identifier)}`}>
          All events of this workflow
        </Anchor>
      </Group>
      <ConnectionTable
        label="Recent runs"
        isLive
        query={query}
        source={{ document: workflowRunsQuery, variablesOf }}
        acts={
          canWrite
            ? [{ ...retry, filter: retryFilter }, cancelRows({ ...conditions, workflowIdentifier: identifier })]
            : []
        }
        nameOf={({ subscriberId, event }) => `the run of ${event.transactionId} for ${subscriberId}`}
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
