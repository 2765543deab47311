// The channels that a workflow uses for subscribers without a preference.
import { Fieldset, Group, Switch, Text } from '@mantine/core'
import { type Channel, channelLabels } from '../../parts/channel-labels.ts'
import { optionsOf } from '../../parts/options.ts'
import type { WorkflowForm } from './steps/step-form.ts'

const channels = optionsOf<Channel>(channelLabels)

export function ChannelDefaults({ form }: { readonly form: WorkflowForm }) {
  const { channelsOff } = form.values
  const set = (channel: Channel, on: boolean) => {
    const others = channelsOff.filter((one) => one !== channel)
    form.setFieldValue(
      'channelsOff',
      // Always in the same order, so that undoing a change leaves nothing to save.
      channels.map(({ value }) => value).filter((one) => others.includes(one) || (one === channel && !on)),
    )
  }
  return (
    <Fieldset legend="Channels that are on by default">
      <Text size="sm" c="dimmed" mb="sm">
        For subscribers without a preference of their own.
      </Text>
      <Group gap="lg">
        {channels.map(({ value, label }) => (
          <Switch
            key={value}
            label={label}
            checked={!channelsOff.includes(value)}
            onChange={({ currentTarget: { checked } }) => set(value, checked)}
          />
        ))}
      </Group>
    </Fieldset>
  )
}
