// The subscriptions of a topic: filters, the list, and a button that adds one.
import { Button, Group, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconUserPlus } from '@tabler/icons-react'
import { ContextFilter, useContextFilter } from '../../parts/filter/context-filter.tsx'
import { Empty } from '../../parts/empty.tsx'
import { useFilterValue } from '../../parts/filter/filter.ts'
import { Filters } from '../../parts/filter/filters.tsx'
import { NoMatch } from '../../parts/filter/no-match.tsx'
import { SubscriberFilter } from '../../parts/filter/subscriber-filter.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { CreateSubscription } from './create-subscription.tsx'
import { SubscriptionTable } from './subscription-table.tsx'

export function TopicSubscriptions({ topicKey }: { readonly topicKey: string }) {
  const subscriberId = useFilterValue('subscriber')
  const [contextKeys] = useContextFilter()
  const [adding, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  const add = canWrite && (
    <Button size="xs" leftSection={<IconUserPlus size={16} aria-hidden />} onClick={open}>
      Add subscription
    </Button>
  )
  return (
    <>
      <Group justify="space-between">
        <Title order={2} size="h4">
          Subscriptions
        </Title>
        {add}
      </Group>
      <Filters>
        <SubscriberFilter />
        <ContextFilter />
      </Filters>
      <SubscriptionTable
        of="topic"
        filter={{ topicKey, subscriberId, contextKeys }}
        empty={
          subscriberId === null && contextKeys === null ? (
            <Empty title="No subscriptions yet" action={add}>
              Nobody receives what is sent to this topic.
            </Empty>
          ) : (
            <NoMatch title="No subscription matches">
              No subscription to this topic has this subscriber and exactly these contexts.
            </NoMatch>
          )
        }
      />
      {adding && <CreateSubscription topicKey={topicKey} onClose={close} />}
    </>
  )
}
