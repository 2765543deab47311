// A table of topic subscriptions, for any page that lists them.
import type { ReactNode } from 'react'
import { useQuery } from 'urql'
import { graphql, type ResultOf, type VariablesOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { subscriptionName } from '../../parts/bulk/acts.ts'
import { isFiltered } from '../../parts/filter/filter.ts'
import type { RowAct } from '../../parts/list/action-bar.tsx'
import { type Column, ConnectionTable } from '../../parts/list/connection-table.tsx'
import { ContextLinks } from '../../parts/context-links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { type PageArguments, usePages } from '../../parts/list/pages.ts'
import { paths } from '../../parts/paths.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { RowLink } from '../../parts/row-link.tsx'

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
  cell: ({ topic: { key } }) => <RowLink to={paths.topic(key)}>{key}</RowLink>,
  text: ({ topic }) => topic.key,
}

const subscriberColumn: Column<TopicSubscription> = {
  header: 'Subscriber',
  cell: ({ subscriber: { subscriberId } }) => <RowLink to={paths.subscriber(subscriberId)}>{subscriberId}</RowLink>,
  text: ({ subscriber }) => subscriber.subscriberId,
}

const columns: readonly Column<TopicSubscription>[] = [
  {
    header: 'Subscription',
    cell: ({ topic, identifier, name }) => (
      <RowLink to={paths.topicSubscription(topic.key, identifier)}>{name ?? identifier}</RowLink>
    ),
    text: ({ name, identifier }) => name ?? identifier,
  },
  {
    header: 'Contexts',
    cell: ({ contextKeys }) => <ContextLinks keys={contextKeys} />,
    text: ({ contextKeys }) => contextKeys.join(' '),
    visibleFrom: 'sm',
  },
  {
    header: 'Created',
    cell: ({ createdAt }) => <Moment at={createdAt} />,
    text: ({ createdAt }) => createdAt,
    visibleFrom: 'md',
  },
]

const unsubscription: RowAct<TopicSubscription> = {
  act: 'unsubscribe',
  label: 'Unsubscribe',
  consequence:
    'These subscribers do not receive what is sent to the topic any more, and the preferences of the subscriptions are deleted. This cannot be undone.',
  nothing: 'No subscription matches.',
  nameOf: ({ topic, identifier }) => subscriptionName(topic.key, identifier),
}

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
  const canWrite = useCanWrite()
  const variablesOf = (page: PageArguments) => ({ ...page, filter })
  const query = useQuery({ query: topicSubscriptionsQuery, variables: variablesOf(pages.arguments) })
  return (
    <ConnectionTable
      label="Topic subscriptions"
      query={query}
      source={{ document: topicSubscriptionsQuery, variablesOf }}
      acts={canWrite ? [{ ...unsubscription, filter: isFiltered(filter) ? filter : undefined }] : []}
      nameOf={({ subscriber, topic }) => `${subscriber.subscriberId} in ${topic.key}`}
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
