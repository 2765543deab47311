// The runs of an event, one for each recipient, in pages, filtered by outcome, reason and subscriber.
import { Stack } from '@mantine/core'
import { useQuery } from 'urql'
import { graphql } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { Answer } from '../../parts/answer.tsx'
import { ChoiceFilter, useChoice } from '../../parts/filter/choice-filter.tsx'
import { Empty } from '../../parts/empty.tsx'
import { isFiltered, useFilterValue } from '../../parts/filter/filter.ts'
import { Filters } from '../../parts/filter/filters.tsx'
import { NoMatch } from '../../parts/filter/no-match.tsx'
import { optionsOf } from '../../parts/options.ts'
import { Pager } from '../../parts/list/pager.tsx'
import { usePages } from '../../parts/list/pages.ts'
import { usePolling } from '../../parts/polling.ts'
import { runOutcomeLabels } from '../../parts/status-badge.tsx'
import { TextFilter } from '../../parts/filter/text-filter.tsx'
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

interface EventRunsProps {
  readonly transactionId: string
  readonly workflowIdentifier: string
  /** True while the event may still change. */
  readonly isUnderWay: boolean
  /** True if the event waits for the end of a pause. */
  readonly isPaused: boolean
}

export function EventRuns({ transactionId, workflowIdentifier, isUnderWay, isPaused }: EventRunsProps) {
  const pages = usePages()
  const filter = {
    outcome: useChoice('outcome', outcomeOptions),
    reason: useFilterValue('reason'),
    subscriberId: useFilterValue('subscriber'),
  }
  const query = useQuery({ query: eventRunsQuery, variables: { transactionId, ...pages.arguments, filter } })
  usePolling(isUnderWay, query)

  return (
    <Stack gap="sm">
      <Filters>
        <TextFilter label="Subscriber id" name="subscriber" />
        <ChoiceFilter label="Outcome" name="outcome" options={outcomeOptions} />
        <TextFilter label="Reason" name="reason" />
      </Filters>
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
