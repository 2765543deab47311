// The events under exactly one context.
import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { type Column, ConnectionTable } from '../../parts/connection-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Moment } from '../../parts/moment.tsx'
import { usePages } from '../../parts/pages.ts'
import { paths } from '../../parts/paths.ts'

const contextEventsQuery = graphql(
  `
    query ContextEvents($first: Int, $after: String, $last: Int, $before: String, $contextKeys: [String!]) {
      events(first: $first, after: $after, last: $last, before: $before, filter: { contextKeys: $contextKeys }) {
        totalCount
        totalCountCapped
        nodes {
          id
          transactionId
          workflowIdentifier
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

type Event = ResultOf<typeof contextEventsQuery>['events']['nodes'][number]

const columns: readonly Column<Event>[] = [
  {
    header: 'Transaction id',
    cell: ({ transactionId }) => (
      <Anchor inherit component={Link} to={paths.event(transactionId)}>
        {transactionId}
      </Anchor>
    ),
  },
  {
    header: 'Workflow',
    cell: ({ workflowIdentifier }) => (
      <Anchor inherit component={Link} to={paths.workflow(workflowIdentifier)}>
        {workflowIdentifier}
      </Anchor>
    ),
  },
  { header: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} />, visibleFrom: 'sm' },
]

export function ContextEvents({ contextKey }: { readonly contextKey: string }) {
  const pages = usePages()
  const [{ data, error }, refresh] = useQuery({
    query: contextEventsQuery,
    variables: { ...pages.arguments, contextKeys: [contextKey] },
  })
  return (
    <ConnectionTable
      label="Events"
      connection={data?.events}
      error={error}
      onRetry={() => refresh({ requestPolicy: 'network-only' })}
      columns={columns}
      rowKey={({ id }) => id}
      pages={pages}
      empty={<Empty title="No events">No event has exactly this context.</Empty>}
    />
  )
}
