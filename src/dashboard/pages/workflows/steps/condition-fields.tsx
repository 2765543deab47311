// The condition of a step.
import { ConditionInput } from '../../../parts/condition/condition-input.tsx'
import { placeOf } from '../../../parts/form/place-of.ts'
import { useCanWrite } from '../../../session/session-context.ts'
import { useFieldError } from './field-error.ts'
import { fieldLabels } from './field-labels.ts'
import type { StepFieldsProps } from './step-form.ts'

export function ConditionFields({ form, index, variables }: StepFieldsProps) {
  const step = form.values.steps[index]
  const canWrite = useCanWrite()
  // An undo may come after the step has moved.
  const placeNow = () => placeOf(form.getValues().steps, step)
  return (
    <ConditionInput
      label={fieldLabels.condition}
      description="When the step is executed."
      readOnly={!canWrite}
      value={step?.condition ?? ''}
      error={useFieldError(form)(`steps.${index}.condition`)}
      variables={variables}
      read={() => form.getValues().steps[placeNow()]?.condition ?? ''}
      onChange={(condition) => {
        const place = placeNow()
        if (place !== -1) form.setFieldValue(`steps.${place}.condition`, condition)
      }}
    />
  )
}
