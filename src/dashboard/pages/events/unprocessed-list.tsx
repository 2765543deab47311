// The list of triggers that created no event: repeated and rejected ones.
import { useQuery } from 'urql'
import { graphql } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { Empty } from '../../parts/empty.tsx'
import { ChoiceFilter, useChoice } from '../../parts/filter/choice-filter.tsx'
import { isFiltered, useFilterValue } from '../../parts/filter/filter.ts'
import { Filters } from '../../parts/filter/filters.tsx'
import { NoMatch } from '../../parts/filter/no-match.tsx'
import { SubscriberFilter } from '../../parts/filter/subscriber-filter.tsx'
import { TextFilter } from '../../parts/filter/text-filter.tsx'
import { TimeFilter, useTimeFilter } from '../../parts/filter/time-filter.tsx'
import { ConnectionTable } from '../../parts/list/connection-table.tsx'
import { type PageArguments, usePages } from '../../parts/list/pages.ts'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { kindOptions, unprocessedColumns, unprocessedRowFields } from './unprocessed-columns.tsx'

const unprocessedQuery = graphql(
  `
    query UnprocessedTriggers(
      $first: Int
      $after: String
      $last: Int
      $before: String
      $filter: UnprocessedTriggerFilter
    ) {
      unprocessedTriggers(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        totalCountCapped
        nodes {
          ...UnprocessedRowFields
        }
        pageInfo {
          ...PageInfoFields
        }
      }
    }
  `,
  [unprocessedRowFields, pageInfoFields],
)

export function Component() {
  const filter = {
    kind: useChoice('kind', kindOptions),
    transactionId: useFilterValue('transaction'),
    workflowIdentifier: useFilterValue('workflow'),
    subscriberId: useFilterValue('subscriber'),
    ...useTimeFilter(),
  }
  const pages = usePages()
  const variablesOf = (page: PageArguments) => ({ ...page, filter })
  const query = useQuery({ query: unprocessedQuery, variables: variablesOf(pages.arguments) })
  return (
    <Page
      title="Triggers without an event"
      description="Triggers of the last day that repeated a transaction id or were rejected. They appear after a few seconds."
      parent={{ label: 'Events', to: paths.events }}
    >
      <Filters>
        <ChoiceFilter label="Kind" name="kind" options={kindOptions} />
        <TextFilter label="Transaction id" name="transaction" />
        <TextFilter label="Workflow" name="workflow" />
        <SubscriberFilter />
        <TimeFilter />
      </Filters>
      <ConnectionTable
        label="Triggers without an event"
        query={query}
        source={{ document: unprocessedQuery, variablesOf }}
        connectionOf={({ unprocessedTriggers }) => unprocessedTriggers}
        columns={unprocessedColumns}
        pages={pages}
        empty={
          isFiltered(filter) ? (
            <NoMatch title="No trigger matches">No trigger of the last day fits all filters.</NoMatch>
          ) : (
            <Empty title="Every trigger created an event">
              No trigger of the last day repeated a transaction id, and none was rejected.
            </Empty>
          )
        }
      />
    </Page>
  )
}
