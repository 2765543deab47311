// The fields that every step has.
import { SimpleGrid, Switch, TextInput } from '@mantine/core'
import type { StepFieldsProps } from './step-form.ts'

export function CommonFields({ form, index }: StepFieldsProps) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label="Step name" description="For people." {...form.getInputProps(`steps.${index}.name`)} />
        <TextInput
          label="Step ID"
          description="For conditions of later steps, and in the log."
          {...form.getInputProps(`steps.${index}.stepId`)}
        />
      </SimpleGrid>
      <Switch label="The step is on" {...form.getInputProps(`steps.${index}.active`, { type: 'checkbox' })} />
    </>
  )
}
