// The fields that every step has.
import { SimpleGrid, Switch, TextInput } from '@mantine/core'
import { useFieldError } from './field-error.ts'
import { fieldLabels } from './field-labels.ts'
import type { StepFieldsProps } from './step-form.ts'

export function CommonFields({ form, index }: StepFieldsProps) {
  const errorAt = useFieldError(form)
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label={fieldLabels.name} description="For people." {...form.getInputProps(`steps.${index}.name`)} />
        <TextInput
          label={fieldLabels.stepId}
          description="The name of the step in later conditions and in the execution log."
          {...form.getInputProps(`steps.${index}.stepId`)}
          error={errorAt(`steps.${index}.stepId`)}
        />
      </SimpleGrid>
      <Switch label={fieldLabels.active} {...form.getInputProps(`steps.${index}.active`, { type: 'checkbox' })} />
    </>
  )
}
