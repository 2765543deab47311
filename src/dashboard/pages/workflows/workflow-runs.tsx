// The recent events of a workflow.
import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { type Column, ConnectionTable } from '../../parts/connection-table.tsx'
import { ContextLinks } from '../../parts/context-links.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Moment } from '../../parts/moment.tsx'
import { usePages } from '../../parts/pages.ts'
import { paths } from '../../parts/paths.ts'
import { StateBadge } from '../../parts/state-badge.tsx'

const workflowEventsQuery = graphql(
  `
    query WorkflowEvents($workflow: String!, $first: Int, $after: String, $last: Int, $before: String) {
      events(first: $first, after: $after, last: $last, before: $before, filter: { workflow: $workflow }) {
        totalCount
        totalCountCapped
        nodes {
          id
          transactionId
          status
          detail
          contextKeys
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

type Event = ResultOf<typeof workflowEventsQuery>['events']['nodes'][number]

const columns: readonly Column<Event>[] = [
  {
    header: 'Event',
    cell: ({ transactionId }) => (
      <Anchor inherit component={Link} to={paths.event(transactionId)}>
        {transactionId}
      </Anchor>
    ),
  },
  {
    header: 'Status',
    cell: ({ status }) => <StateBadge color={status === 'FAILED' ? 'red' : 'gray'}>{status.toLowerCase()}</StateBadge>,
  },
  { header: 'Reason', cell: ({ detail }) => detail, visibleFrom: 'md' },
  { header: 'Contexts', cell: ({ contextKeys }) => <ContextLinks keys={contextKeys} />, visibleFrom: 'sm' },
  { header: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} /> },
]

export function WorkflowRuns({ identifier }: { readonly identifier: string }) {
  const pages = usePages()
  const [{ data, error }, refresh] = useQuery({
    query: workflowEventsQuery,
    variables: { workflow: identifier, ...pages.arguments },
  })
  return (
    <ConnectionTable
      label="Recent events"
      connection={data?.events}
      error={error}
      onRetry={() => refresh({ requestPolicy: 'network-only' })}
      columns={columns}
      rowKey={({ id }) => id}
      pages={pages}
      empty={<Empty title="No events yet">Nobody has triggered this workflow. Trigger it to see what happens.</Empty>}
    />
  )
}
