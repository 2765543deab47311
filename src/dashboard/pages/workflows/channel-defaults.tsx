// The channels that a workflow uses for subscribers without a preference.
import { Fieldset, Group, Switch, Text } from '@mantine/core'
import { type Channel, channelLabels } from '../../parts/channel-labels.ts'
import type { WorkflowForm } from './steps/step-form.ts'

const channels = ['IN_APP', 'EMAIL', 'SMS', 'CHAT', 'PUSH', 'TOOL'] as const satisfies Channel[]

export function ChannelDefaults({ form }: { readonly form: WorkflowForm }) {
  const { channelsOff } = form.values
  const set = (channel: Channel, on: boolean) => {
    const others = channelsOff.filter((one) => one !== channel)
    form.setFieldValue(
      'channelsOff',
      // In one order, so that a change and its undoing leave nothing to save.
      channels.filter((one) => others.includes(one) || (one === channel && !on)),
    )
  }
  return (
    <Fieldset legend="Channels that are on by default">
      <Text size="sm" c="dimmed" mb="sm">
        For subscribers without a preference of their own.
      </Text>
      <Group gap="lg">
        {channels.map((channel) => (
          <Switch
            key={channel}
            label={channelLabels[channel]}
            checked={!channelsOff.includes(channel)}
            onChange={({ currentTarget: { checked } }) => set(channel, checked)}
          />
        ))}
      </Group>
    </Fieldset>
  )
}
