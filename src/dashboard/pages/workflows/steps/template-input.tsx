// A one-line template.
import { TextInput } from '@mantine/core'
import type { StepFieldsProps } from './step-form.ts'
import { type TextName, useTemplateField } from './template-field.ts'

interface TemplateInputProps extends Pick<StepFieldsProps, 'form' | 'index'> {
  readonly name: Exclude<TextName, 'body' | 'textBody'>
  readonly label: string
  readonly description: string
  readonly required?: boolean
}

export function TemplateInput({ form, index, name, label, description, required = false }: TemplateInputProps) {
  const { value, error, set } = useTemplateField(form, index, name)
  return (
    <TextInput
      label={label}
      description={description}
      required={required}
      value={value}
      error={error}
      onChange={({ currentTarget }) => set(currentTarget.value)}
    />
  )
}
