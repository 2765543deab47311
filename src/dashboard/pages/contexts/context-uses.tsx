// Events, topic subscriptions and channel endpoints that have exactly one given context.
import { Stack, Tabs, Text } from '@mantine/core'
import { Empty } from '../../parts/empty.tsx'
import { useTab } from '../../parts/filter/tab.ts'
import { ChannelEndpointTable } from '../channel-endpoints/channel-endpoint-table.tsx'
import { EventTable } from '../events/event-table.tsx'
import { SubscriptionTable } from '../topics/subscription-table.tsx'

/** Also for a deleted context, because existing rows still name it. */
export function ContextUses({ contextKey }: { readonly contextKey: string }) {
  const [tab, showTab] = useTab(['events', 'subscriptions', 'endpoints'])
  const filter = { contextKeys: [contextKey] }
  return (
    <Stack gap="xs">
      <Text c="dimmed">Each tab lists what has exactly this context, and no other.</Text>
      <Tabs value={tab} onChange={showTab} keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="events">Events</Tabs.Tab>
          <Tabs.Tab value="subscriptions">Topic subscriptions</Tabs.Tab>
          <Tabs.Tab value="endpoints">Channel endpoints</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="events">
          <EventTable filter={filter} empty={<Empty title="No events">No event has exactly this context.</Empty>} />
        </Tabs.Panel>
        <Tabs.Panel value="subscriptions">
          <SubscriptionTable
            filter={filter}
            empty={<Empty title="No topic subscriptions">No topic subscription has exactly this context.</Empty>}
          />
        </Tabs.Panel>
        <Tabs.Panel value="endpoints">
          <ChannelEndpointTable
            filter={filter}
            empty={<Empty title="No channel endpoints">No channel endpoint has exactly this context.</Empty>}
          />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}
