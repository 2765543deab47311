// The payload fields that a notification carries.
import { TagsInput } from '@mantine/core'
import { useFieldError } from './field-error.ts'
import { fieldLabels } from './field-labels.ts'
import type { StepFieldsProps } from './step-form.ts'

export function PayloadFields({ form, index }: StepFieldsProps) {
  const path = `steps.${index}.payloadFields`
  return (
    <TagsInput
      label={fieldLabels.payloadFields}
      description="Names of payload fields that the notification carries for your application. Press Enter after each."
      acceptValueOnBlur
      {...form.getInputProps(path)}
      error={useFieldError(form)(path)}
    />
  )
}
