// A list of pairs of texts in a step, such as the label and the link of a button.
import { ActionIcon, Button, Fieldset, Group, Stack, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useFieldError } from './field-error.ts'
import type { StepFieldsProps } from './step-form.ts'

interface PairFieldsProps extends Pick<StepFieldsProps, 'form' | 'index'> {
  readonly name: 'actions' | 'headers'
  /** The maximum number of pairs. */
  readonly max: number
  readonly nameOf: (position: number) => string
  /** The two texts of a pair. */
  readonly texts: readonly { readonly name: string; readonly label: string }[]
  /** Further fields of a pair, below its texts. */
  readonly more?: (position: number) => ReactNode
  readonly addLabel: string
  readonly onAdd: () => void
}

export function PairFields({ form, index, name, max, nameOf, texts, more, addLabel, onAdd }: PairFieldsProps) {
  const path = `steps.${index}.${name}` as const
  const errorAt = useFieldError(form)
  const pairs = form.values.steps[index]?.[name] ?? []
  return (
    <Stack gap="xs" align="stretch">
      {pairs.map((_, position) => (
        <Fieldset key={position} legend={nameOf(position)} p="sm">
          <Group align="flex-start" wrap="nowrap" gap="xs">
            <Group align="flex-start" grow flex={1}>
              {texts.map((text) => (
                <TextInput
                  key={text.name}
                  label={text.label}
                  required
                  {...form.getInputProps(`${path}.${position}.${text.name}`)}
                  error={errorAt(`${path}.${position}.${text.name}`)}
                />
              ))}
            </Group>
            <ActionIcon
              variant="subtle"
              color="gray"
              mt={28}
              aria-label={`Remove ${nameOf(position).toLowerCase()}`}
              onClick={() => form.removeListItem(path, position)}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </Group>
          {more?.(position)}
        </Fieldset>
      ))}
      {pairs.length < max && (
        <Button
          variant="default"
          size="xs"
          style={{ alignSelf: 'flex-start' }}
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={onAdd}
        >
          {addLabel}
        </Button>
      )}
    </Stack>
  )
}
