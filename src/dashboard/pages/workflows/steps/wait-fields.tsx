// The duration of a delay or digest.
import { Checkbox, Group, NativeSelect, NumberInput } from '@mantine/core'
import { useFieldError } from './field-error.ts'
import { fieldLabels } from './field-labels.ts'
import type { StepFieldsProps } from './step-form.ts'
import { durationUnits } from '../draft/step-values.ts'

const units = durationUnits.map((value) => ({ value, label: value.toLowerCase() }))

export function WaitFields({ form, index, label }: StepFieldsProps & { readonly label: string }) {
  return (
    <>
      <Group align="flex-start" grow preventGrowOverflow={false}>
        <NumberInput
          label={label}
          min={1}
          allowDecimal={false}
          clampBehavior="none"
          {...form.getInputProps(`steps.${index}.amount`)}
          error={useFieldError(form)(`steps.${index}.amount`)}
        />
        <NativeSelect label={fieldLabels.unit} data={units} {...form.getInputProps(`steps.${index}.unit`)} />
      </Group>
      <Checkbox
        label={fieldLabels.extendToSchedule}
        description="Prolongs a wait that ends outside the hours in which the subscriber receives messages."
        {...form.getInputProps(`steps.${index}.extendToSchedule`, { type: 'checkbox' })}
      />
    </>
  )
}
