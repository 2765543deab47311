// The buttons of an in-app step.
import { PairFields } from './pair-fields.tsx'
import type { StepFieldsProps } from './step-form.ts'
import { TargetField } from './target-field.tsx'

const texts = [
  { name: 'label', label: 'Label' },
  { name: 'url', label: 'Link' },
] as const

export function ActionFields({ form, index }: StepFieldsProps) {
  return (
    <PairFields
      form={form}
      index={index}
      name="actions"
      max={2}
      // The first button is the primary one.
      nameOf={(position) => (position === 0 ? 'Primary button' : 'Secondary button')}
      texts={texts}
      more={(position) => (
        <TargetField
          form={form}
          path={`steps.${index}.actions.${position}.target`}
          value={form.values.steps[index]?.actions[position]?.target}
        />
      )}
      addLabel="Add button"
      onAdd={() => form.insertListItem(`steps.${index}.actions`, { label: '', url: '', target: null })}
    />
  )
}
