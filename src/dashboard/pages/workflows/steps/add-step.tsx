// The menu of step types.
import { Button, Menu, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { optionsOf } from '../../../parts/options.ts'
import { type StepType, stepTypes } from '../../../parts/step-types.ts'

/** Marks the button in the list of steps, beside the buttons of the steps. */
export const NEW_STEP = 'new'

export function AddStep({ onAdd }: { readonly onAdd: (type: StepType) => void }) {
  return (
    <Menu position="bottom-start" width={300}>
      <Menu.Target>
        <Button data-item={NEW_STEP} variant="default" fullWidth leftSection={<IconPlus size={16} aria-hidden />}>
          Add step
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {optionsOf<StepType>(stepTypes).map(({ value: type, label }) => {
          const { description, icon: Icon } = stepTypes[type]
          return (
            <Menu.Item key={type} leftSection={<Icon size={18} aria-hidden />} onClick={() => onAdd(type)}>
              {label}
              <Text size="xs" c="dimmed">
                {description}
              </Text>
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}
