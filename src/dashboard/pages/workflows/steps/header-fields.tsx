// The headers of an email.
import { PairFields } from './pair-fields.tsx'
import type { StepFieldsProps } from './step-form.ts'

const texts = [
  { name: 'name', label: 'Name' },
  { name: 'value', label: 'Value' },
] as const

export function HeaderFields({ form, index }: StepFieldsProps) {
  return (
    <PairFields
      form={form}
      index={index}
      name="headers"
      // The gateway accepts no more.
      max={20}
      nameOf={(position) => `Header ${position + 1}`}
      texts={texts}
      addLabel="Add header"
      onAdd={() => form.insertListItem(`steps.${index}.headers`, { name: '', value: '' })}
    />
  )
}
