// The form in a popover of the toolbar: a few texts, each with its check.
import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'

export interface ControlField {
  readonly label: string
  readonly description?: string
  readonly type?: 'text' | 'color'
  readonly initial: string
  /** Returns what is wrong with a trimmed text. Null if it is valid. */
  readonly check?: (text: string) => string | null
}

interface ControlFormProps {
  readonly fields: Readonly<Record<string, ControlField>>
  /** The name of the button that applies the form. */
  readonly submit: string
  /** Called with the trimmed texts by the names of the fields. */
  readonly onSubmit: (values: Readonly<Record<string, string>>) => void
  /** Absent if there is nothing to remove. */
  readonly onRemove?: (() => void) | undefined
}

export function ControlForm({ fields, submit, onSubmit, onRemove }: ControlFormProps) {
  const entries = Object.entries(fields)
  const form = useForm<Record<string, string>>({
    initialValues: Object.fromEntries(entries.map(([name, { initial }]) => [name, initial])),
    validate: Object.fromEntries(
      entries.map(([name, { check }]) => [name, (text: string) => check?.(text.trim()) ?? null]),
    ),
  })
  return (
    <form
      noValidate
      onSubmit={form.onSubmit((values) => {
        onSubmit(Object.fromEntries(Object.entries(values).map(([name, text]) => [name, text.trim()])))
      })}
    >
      <Stack gap="xs">
        {entries.map(([name, { label, description, type = 'text' }], index) => (
          <TextInput
            key={name}
            size="sm"
            type={type}
            label={label}
            description={description}
            data-autofocus={index === 0 || undefined}
            {...form.getInputProps(name)}
          />
        ))}
        <Group gap="xs" justify="flex-end">
          {onRemove && (
            <Button size="xs" variant="default" onClick={onRemove}>
              Remove
            </Button>
          )}
          <Button size="xs" type="submit">
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
