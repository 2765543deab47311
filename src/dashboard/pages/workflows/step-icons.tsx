// The steps of a workflow as small icons, in order.
import { Group, Text, Tooltip } from '@mantine/core'
import { type StepType, stepTypes } from '../../parts/step-types.ts'

export function StepIcons({ types }: { readonly types: readonly StepType[] }) {
  if (types.length === 0)
    return (
      <Text inherit c="dimmed">
        none
      </Text>
    )
  return (
    <Group gap={6}>
      {types.map((type, index) => {
        const { label, icon: Icon } = stepTypes[type]
        return (
          <Tooltip key={index} label={label}>
            <Icon size={18} role="img" aria-label={label} />
          </Tooltip>
        )
      })}
    </Group>
  )
}
