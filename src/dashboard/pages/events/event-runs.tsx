// The runs of an event, one for each recipient, in pages, filtered by outcome, reason and subscriber.
import { Group, Stack } from '@mantine/core'
import { useQuery } from 'urql'
import { graphql } from '../../graph/graphql.ts'
import { useLive } from '../../graph/live.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { Answer } from '../../parts/answer.tsx'
import { ChoicesFilter, useChoices } from '../../parts/filter/choices-filter.tsx'
import { Empty } from '../../parts/empty.tsx'
import { isFiltered, useFilterValue } from '../../parts/filter/filter.ts'
import { Filters } from '../../parts/filter/filters.tsx'
import { NoMatch } from '../../parts/filter/no-match.tsx'
import { optionsOf } from '../../parts/options.ts'
import { Pager } from '../../parts/list/pager.tsx'
import { ResultCount } from '../../parts/list/result-count.tsx'
import { usePages } from '../../parts/list/pages.ts'
import { runOutcomeLabels } from '../../parts/badge/status-badge.tsx'
import { TextFilter } from '../../parts/filter/text-filter.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { runReasonLabels } from './reasons.ts'
import { CancelRecipients } from './cancel-recipients.tsx'
import { RunCard, runFields } from './run-card.tsx'

const eventRunsQuery = graphql(
  `
    query EventRuns(
      $transactionId: String!
      $first: Int
      $after: String
      $last: Int
      $before: String
      $filter: WorkflowRunFilter
    ) {
      changePosition
      event(transactionId: $transactionId) {
        id
        runs(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
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

const outcomeOptions = optionsOf(runOutcomeLabels)
const reasonOptions = optionsOf(runReasonLabels)

interface EventRunsProps {
  readonly transactionId: string
  readonly workflowIdentifier: string
  /** True while the event may still change. */
  readonly isUnderWay: boolean
  /** True if the event waits for the end of a pause. */
  readonly isPaused: boolean
}

export function EventRuns({ transactionId, workflowIdentifier, isUnderWay, isPaused }: EventRunsProps) {
  const pages = usePages('', [20])
  const canWrite = useCanWrite()
  const filter = {
    outcomes: useChoices('outcome', outcomeOptions),
    reasons: useChoices('reason', reasonOptions),
    subscriberId: useFilterValue('subscriber'),
  }
  const query = useQuery({ query: eventRunsQuery, variables: { transactionId, ...pages.arguments, filter } })
  useLive(query, { transactionId })
  const [{ data, fetching, stale }] = query
  // There is nothing to filter in the run of a single recipient.
  const hasMany = isFiltered(filter) || (data?.event?.runs.totalCount ?? 2) > 1

  return (
    <Stack gap="sm" className="wrap-anywhere">
      {hasMany && (
        <Group justify="space-between" align="flex-end">
          <Filters>
            <TextFilter label="Subscriber id" name="subscriber" />
            <ChoicesFilter label="Outcome" name="outcome" options={outcomeOptions} />
            <ChoicesFilter label="Reason" name="reason" options={reasonOptions} />
          </Filters>
          {canWrite && isUnderWay && isFiltered(filter) && <CancelRecipients filter={{ ...filter, transactionId }} />}
        </Group>
      )}
      <ResultCount list={JSON.stringify(filter)} count={fetching || stale ? undefined : data?.event?.runs.totalCount} />
      <Answer query={query}>
        {({ event }) =>
          event === null || event.runs.nodes.length === 0 ? (
            isFiltered(filter) ? (
              <NoMatch title="No recipient matches">No recipient of the event fits all filters.</NoMatch>
            ) : (
              <Empty title="No runs">
                {isUnderWay && !isPaused
                  ? 'The recipients get their runs in a moment.'
                  : 'Nobody was notified: the reason is above.'}
              </Empty>
            )
          ) : (
            <>
              {event.runs.nodes.map((run) => (
                <RunCard key={run.id} run={run} workflowIdentifier={workflowIdentifier} />
              ))}
              <Pager connection={event.runs} pages={pages} />
            </>
          )
        }
      </Answer>
    </Stack>
  )
}
