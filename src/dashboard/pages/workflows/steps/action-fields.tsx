// The buttons of an in-app step.
import { ActionIcon, Button, Fieldset, Group, Stack, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useFieldError } from './field-error.ts'
import type { StepFieldsProps } from './step-form.ts'

/** The first button is the primary one. */
const names = ['Primary button', 'Secondary button'] as const

export function ActionFields({ form, index }: StepFieldsProps) {
  const path = `steps.${index}.actions` as const
  const errorAt = useFieldError(form)
  const actions = form.values.steps[index]?.actions ?? []
  return (
    <Stack gap="xs" align="stretch">
      {actions.map((_, position) => (
        <Fieldset key={position} legend={names[position]} p="sm">
          <Group align="flex-start" wrap="nowrap" gap="xs">
            <Group align="flex-start" grow flex={1}>
              <TextInput
                label="Label"
                required
                {...form.getInputProps(`${path}.${position}.label`)}
                error={errorAt(`${path}.${position}.label`)}
              />
              <TextInput
                label="Link"
                required
                {...form.getInputProps(`${path}.${position}.url`)}
                error={errorAt(`${path}.${position}.url`)}
              />
            </Group>
            <ActionIcon
              variant="subtle"
              color="gray"
              mt={28}
              aria-label={`Remove ${names[position]?.toLowerCase() ?? 'button'}`}
              onClick={() => form.removeListItem(path, position)}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </Group>
        </Fieldset>
      ))}
      {actions.length < names.length && (
        <Button
          variant="default"
          size="xs"
          style={{ alignSelf: 'flex-start' }}
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => form.insertListItem(path, { label: '', url: '' })}
        >
          Add button
        </Button>
      )}
    </Stack>
  )
}
