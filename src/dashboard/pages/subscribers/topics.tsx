// The topic subscriptions of a subscriber.
import { ActionIcon, Button, Group, Stack, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useParams } from 'react-router'
import { Empty } from '../../parts/empty.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { useSubscriptionRemoval } from '../topics/remove-subscription.ts'
import { SubscriptionTable, type TopicSubscription } from '../topics/subscription-table.tsx'
import { SubscribeDialog } from './subscribe-dialog.tsx'

export function Component() {
  const { subscriberId = '' } = useParams()
  const [subscribing, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  const remove = useSubscriptionRemoval()

  const deleteButton = (subscription: TopicSubscription) => (
    <Tooltip label="Delete this subscription">
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Delete the subscription to ${subscription.topic.key}`}
        onClick={() => void remove(subscription.topic.key, subscription.identifier)}
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
