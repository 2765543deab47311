// The topic subscriptions of a subscriber.
import { ActionIcon, Button, Group, Stack, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useParams } from 'react-router'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { confirmDelete } from '../../parts/action/confirm-delete.tsx'
import { Empty } from '../../parts/empty.tsx'
import { showDone, showProblems } from '../../parts/messages.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { SubscriptionTable, type TopicSubscription } from '../topics/subscription-table.tsx'
import { SubscribeDialog } from './subscribe-dialog.tsx'

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

export function Component() {
  const { subscriberId = '' } = useParams()
  const [subscribing, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  const [deleteSubscriptions] = useAct(deleteSubscriptionsMutation)

  const askToDelete = ({ topic, identifier }: TopicSubscription) =>
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

  const deleteButton = (subscription: TopicSubscription) => (
    <Tooltip label="Delete this subscription">
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Delete the subscription to ${subscription.topic.key}`}
        onClick={() => askToDelete(subscription)}
      >
        <IconTrash size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
  const subscribe = canWrite && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      Subscribe to a topic
    </Button>
  )
  return (
    <Stack>
      {subscribe && <Group>{subscribe}</Group>}
      <SubscriptionTable
        filter={{ subscriberId }}
        of="subscriber"
        actions={canWrite ? deleteButton : undefined}
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
