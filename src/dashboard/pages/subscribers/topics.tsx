// The topic subscriptions of a subscriber.
import { ActionIcon, Anchor, Button, Group, Stack, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { Link, useParams } from 'react-router'
import { useQuery } from 'urql'
import { useAct } from '../../graph/act.ts'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { pageInfoFields } from '../../graph/page-info.ts'
import { confirmDelete } from '../../parts/confirm-delete.tsx'
import { type Column, ConnectionTable } from '../../parts/connection-table.tsx'
import { ContextLinks } from '../../parts/context-links.tsx'
import { Empty } from '../../parts/empty.tsx'
import { showDone, showProblems } from '../../parts/messages.ts'
import { Moment } from '../../parts/moment.tsx'
import { usePages } from '../../parts/pages.ts'
import { paths } from '../../parts/paths.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { SubscribeDialog } from './subscribe-dialog.tsx'

const subscriberTopicsQuery = graphql(
  `
    query SubscriberTopics($subscriberId: String!, $first: Int, $after: String, $last: Int, $before: String) {
      topicSubscriptions(
        first: $first
        after: $after
        last: $last
        before: $before
        filter: { subscriberId: $subscriberId }
      ) {
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
            name
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

const deleteSubscriptionsMutation = graphql(`
  mutation Unsubscribe($input: DeleteTopicSubscriptionsInput!) {
    deleteTopicSubscriptions(input: $input) {
      failed {
        message
      }
      userErrors {
        message
        field
      }
    }
  }
`)

type TopicSubscription = ResultOf<typeof subscriberTopicsQuery>['topicSubscriptions']['nodes'][number]

const columns: readonly Column<TopicSubscription>[] = [
  {
    header: 'Topic',
    cell: ({ topic }) => (
      <Anchor inherit component={Link} to={paths.topic(topic.key)}>
        {topic.key}
      </Anchor>
    ),
  },
  { header: 'Subscription', cell: ({ name, identifier }) => name ?? identifier, visibleFrom: 'sm' },
  { header: 'Contexts', cell: ({ contextKeys }) => <ContextLinks keys={contextKeys} /> },
  { header: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} />, visibleFrom: 'sm' },
]

export function Component() {
  const { subscriberId = '' } = useParams()
  const pages = usePages()
  const [subscribing, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  const [{ data, error }, refresh] = useQuery({
    query: subscriberTopicsQuery,
    variables: { subscriberId, ...pages.arguments },
  })
  const [deleteSubscriptions] = useAct(deleteSubscriptionsMutation)

  const askToRemove = ({ topic, identifier }: TopicSubscription) =>
    confirmDelete({
      what: `the subscription to ${topic.key}`,
      consequence: `${subscriberId} no longer receives what is sent to the topic under these contexts. The topic stays.`,
      onConfirm: async () => {
        const outcome = await deleteSubscriptions({ topicKey: topic.key, subscriptions: [{ identifier }] })
        const problems = outcome.ok ? (outcome.payload.failed ?? []) : outcome.problems
        if (problems.length > 0) showProblems(problems)
        else showDone(`Subscription to ${topic.key} deleted.`)
      },
    })

  const removal: Column<TopicSubscription> = {
    header: 'Actions',
    cell: (subscription) => (
      <Tooltip label="Delete this subscription">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Delete the subscription to ${subscription.topic.key}`}
          onClick={() => askToRemove(subscription)}
        >
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    ),
  }
  const subscribe = canWrite && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      Subscribe to a topic
    </Button>
  )
  return (
    <Stack>
      {subscribe && data?.topicSubscriptions.totalCount !== 0 && <Group>{subscribe}</Group>}
      <ConnectionTable
        label="Topic subscriptions"
        connection={data?.topicSubscriptions}
        error={error}
        onRetry={() => refresh({ requestPolicy: 'network-only' })}
        columns={canWrite ? [...columns, removal] : columns}
        rowKey={({ id }) => id}
        pages={pages}
        empty={
          <Empty title="No topic subscriptions yet" action={subscribe}>
            A subscription makes this subscriber a recipient of everything that is sent to the topic.
          </Empty>
        }
      />
      {subscribing && <SubscribeDialog subscriberId={subscriberId} onClose={close} />}
    </Stack>
  )
}
