// The list of channel endpoints.
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { channelLabels } from '../../parts/channel-labels.ts'
import { ChoiceFilter, useChoice } from '../../parts/filter/choice-filter.tsx'
import { ContextFilter, useContextFilter } from '../../parts/filter/context-filter.tsx'
import { Empty } from '../../parts/empty.tsx'
import { isFiltered, useFilterValue } from '../../parts/filter/filter.ts'
import { Filters } from '../../parts/filter/filters.tsx'
import { IntegrationFilter } from '../../parts/filter/integration-filter.tsx'
import { NoMatch } from '../../parts/filter/no-match.tsx'
import { optionsOf } from '../../parts/options.ts'
import { Page } from '../../parts/page.tsx'
import { providerOptions, useProviders } from '../../parts/providers.ts'
import { SubscriberFilter } from '../../parts/filter/subscriber-filter.tsx'
import { TextFilter } from '../../parts/filter/text-filter.tsx'
import { useCanWrite } from '../../session/session-context.ts'
import { ChannelEndpointTable } from './channel-endpoint-table.tsx'
import { CreateChannelEndpoint } from './create-channel-endpoint.tsx'
import { typeOptions } from './type-options.ts'

const channelOptions = optionsOf(channelLabels)

export function Component() {
  const [creating, { open, close }] = useDisclosure(false)
  const canWrite = useCanWrite()
  const providers = providerOptions(useProviders())
  const [contextKeys] = useContextFilter()
  const filter = {
    contextKeys,
    subscriberId: useFilterValue('subscriber'),
    integrationIdentifier: useFilterValue('integration'),
    connectionIdentifier: useFilterValue('connection'),
    type: useChoice('type', typeOptions),
    channel: useChoice('channel', channelOptions),
    providerId: useChoice('provider', providers),
  }

  const create = canWrite && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      Create channel endpoint
    </Button>
  )
  return (
    <Page
      title="Channel endpoints"
      description="Destinations of subscribers beyond their profile, such as chat channels and webhooks."
      actions={create}
    >
      <Filters>
        <SubscriberFilter />
        <ChoiceFilter label="Type" name="type" options={typeOptions} />
        <ChoiceFilter label="Channel" name="channel" options={channelOptions} />
        <ChoiceFilter label="Provider" name="provider" options={providers} />
        <IntegrationFilter />
        <ContextFilter />
        <TextFilter label="Connection" name="connection" />
      </Filters>
      <ChannelEndpointTable
        filter={filter}
        empty={
          isFiltered(filter) ? (
            <NoMatch title="No channel endpoint matches">No channel endpoint fits all filters.</NoMatch>
          ) : (
            <Empty title="No channel endpoints yet" action={create}>
              Create a channel endpoint to reach a subscriber at a chat channel, a webhook or a tool.
            </Empty>
          )
        }
      />
      {creating && <CreateChannelEndpoint onClose={close} />}
    </Page>
  )
}
