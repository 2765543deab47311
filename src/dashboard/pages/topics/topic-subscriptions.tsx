// The subscriptions of a topic.
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

const topicSubscriptionsQuery = graphql(
  `
    query TopicSubscriptions($topicKey: String!, $first: Int, $after: String, $last: Int, $before: String) {
      topicSubscriptions(first: $first, after: $after, last: $last, before: $before, filter: { topicKey: $topicKey }) {
        totalCount
        totalCountCapped
        nodes {
          id
          identifier
          name
          contextKeys
          createdAt
          subscriber {
            id
            subscriberId
          }
        }
        pageInfo {
          ...PageInfoFields
        }
      }
    }
  `,
  [pageInfoFields],
)

type TopicSubscription = ResultOf<typeof topicSubscriptionsQuery>['topicSubscriptions']['nodes'][number]

const columns: readonly Column<TopicSubscription>[] = [
  {
    header: 'Subscriber',
    cell: ({ subscriber: { subscriberId } }) => (
      <Anchor inherit component={Link} to={paths.subscriber(subscriberId)}>
        {subscriberId}
      </Anchor>
    ),
  },
  { header: 'Identifier', cell: ({ identifier }) => identifier },
  { header: 'Contexts', cell: ({ contextKeys }) => <ContextLinks keys={contextKeys} />, visibleFrom: 'sm' },
  { header: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} />, visibleFrom: 'md' },
]

export function TopicSubscriptions({ topicKey }: { readonly topicKey: string }) {
  const pages = usePages()
  const [{ data, error }, refresh] = useQuery({
    query: topicSubscriptionsQuery,
    variables: { topicKey, ...pages.arguments },
  })
  return (
    <ConnectionTable
      label="Subscriptions"
      connection={data?.topicSubscriptions}
      error={error}
      onRetry={() => refresh({ requestPolicy: 'network-only' })}
      columns={columns}
      rowKey={({ id }) => id}
      pages={pages}
      empty={<Empty title="No subscriptions yet">Nobody receives what is sent to this topic.</Empty>}
    />
  )
}
