// A table of topic subscriptions, for any page that lists them.
import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useQuery } from 'urql'
import { graphql, type ResultOf, type VariablesOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { ContextLinks } from '../../parts/context-links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { usePages } from '../../parts/list/pages.ts'
import { paths } from '../../parts/paths.ts'

const topicSubscriptionsQuery = graphql(
  `
    query TopicSubscriptions(
      $first: Int
      $after: String
      $last: Int
      $before: String
      $filter: TopicSubscriptionFilter
    ) {
      topicSubscriptions(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        totalCountCapped
        nodes {
          id
          identifier
          name
          contextKeys
          createdAt
          topic {
            id
            key
          }
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

export type TopicSubscription = ResultOf<typeof topicSubscriptionsQuery>['topicSubscriptions']['nodes'][number]

const topicColumn: Column<TopicSubscription> = {
  header: 'Topic',
  cell: ({ topic: { key } }) => (
    <Anchor inherit component={Link} to={paths.topic(key)}>
      {key}
    </Anchor>
  ),
}

const subscriberColumn: Column<TopicSubscription> = {
  header: 'Subscriber',
  cell: ({ subscriber: { subscriberId } }) => (
    <Anchor inherit component={Link} to={paths.subscriber(subscriberId)}>
      {subscriberId}
    </Anchor>
  ),
}

const columns: readonly Column<TopicSubscription>[] = [
  {
    header: 'Subscription',
    cell: ({ topic, identifier, name }) => (
      <Anchor inherit component={Link} to={paths.topicSubscription(topic.key, identifier)}>
        {name ?? identifier}
      </Anchor>
    ),
  },
  { header: 'Contexts', cell: ({ contextKeys }) => <ContextLinks keys={contextKeys} />, visibleFrom: 'sm' },
  { header: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} />, visibleFrom: 'md' },
]

interface SubscriptionTableProps {
  readonly filter: NonNullable<VariablesOf<typeof topicSubscriptionsQuery>['filter']>
  /** The object whose page shows the list. The list has no column for it. */
  readonly of?: 'topic' | 'subscriber'
  /** The actions on a subscription. */
  readonly actions?: ((subscription: TopicSubscription) => ReactNode) | undefined
  readonly empty: ReactNode
}

export function SubscriptionTable({ filter, of, actions, empty }: SubscriptionTableProps) {
  const pages = usePages()
  const query = useQuery({
    query: topicSubscriptionsQuery,
    variables: { ...pages.arguments, filter },
  })
  return (
    <ConnectionTable
      label="Topic subscriptions"
      query={query}
      connectionOf={({ topicSubscriptions }) => topicSubscriptions}
      columns={[
        ...(of === 'topic' ? [] : [topicColumn]),
        ...(of === 'subscriber' ? [] : [subscriberColumn]),
        ...columns,
        ...(actions === undefined ? [] : [{ header: 'Actions', cell: actions }]),
      ]}
      pages={pages}
      empty={empty}
    />
  )
}
