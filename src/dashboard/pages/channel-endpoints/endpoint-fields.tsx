// The fields of one type of channel endpoint.
import { ActionIcon, Button, Group, Input, PasswordInput, Select, Stack, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { endpointTypes, type EndpointField, type EndpointType } from './endpoint-types.ts'
import type { EndpointValues, HeaderRow } from './endpoint-values.ts'

/** Returns the props of the input of a field, as `getInputProps` of a form does. */
type InputProps = (name: keyof EndpointValues) => ReturnType<UseFormReturnType<EndpointValues>['getInputProps']>

interface HeaderFieldsProps {
  readonly field: EndpointField
  readonly value?: readonly HeaderRow[]
  readonly error?: ReactNode
  readonly onChange: (rows: readonly HeaderRow[]) => void
}

function HeaderFields({ field, value: rows = [], error, onChange }: HeaderFieldsProps) {
  const change = (index: number, changes: Partial<HeaderRow>) =>
    onChange(rows.map((row, position) => (position === index ? { ...row, ...changes } : row)))
  return (
    <Input.Wrapper label={field.label} description={field.help} error={error} labelElement="div">
      <Stack gap="xs" mt={4} role="group" aria-label={field.label}>
        {rows.map(({ name, value }, index) => (
          // Headers have no identity other than their position.
          <Group key={index} gap="xs" wrap="nowrap" align="flex-start">
            <TextInput
              aria-label={`Name of header ${index + 1}`}
              placeholder="Name"
              flex={1}
              value={name}
              onChange={(event) => change(index, { name: event.currentTarget.value })}
            />
            <PasswordInput
              aria-label={`Value of header ${index + 1}`}
              placeholder="Value"
              autoComplete="off"
              flex={1}
              value={value}
              onChange={(event) => change(index, { value: event.currentTarget.value })}
            />
            <ActionIcon
              variant="default"
              size="lg"
              aria-label={`Remove header ${index + 1}`}
              onClick={() => onChange(rows.filter((_, position) => position !== index))}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => onChange([...rows, { name: '', value: '' }])}
          >
            Add header
          </Button>
        </Group>
      </Stack>
    </Input.Wrapper>
  )
}

function Field({ field, inputProps }: { readonly field: EndpointField; readonly inputProps: InputProps }) {
  const { name, kind, label, help, required, options = [] } = field
  const props = inputProps(name)
  const common = { label, description: help, required, ...props }
  switch (kind) {
    case 'text':
      return <TextInput {...common} />
    case 'secret':
      return <PasswordInput autoComplete="off" {...common} />
    case 'choice':
      return <Select allowDeselect={false} data={options} {...common} />
    case 'headers':
      return <HeaderFields field={field} {...props} />
  }
}

interface EndpointFieldsProps {
  readonly type: EndpointType
  readonly inputProps: InputProps
}

export const EndpointFields = ({ type, inputProps }: EndpointFieldsProps) =>
  endpointTypes[type].fields.map((field) => <Field key={field.name} field={field} inputProps={inputProps} />)
