// The integration of a message, and the limits to its time.
import { Group, NativeSelect, NumberInput, TextInput } from '@mantine/core'
import { useFieldError } from './field-error.ts'
import { fieldLabels } from './field-labels.ts'
import type { StepFieldsProps } from './step-form.ts'
import { durationUnits } from '../draft/step-values.ts'

const units = durationUnits.map((value) => ({ value, label: value.toLowerCase() }))

const descriptions = {
  expiresAfter: 'How long the message is of use after the trigger. Later, it is not sent. Empty means always.',
  timeLimit:
    'How long the message is attempted. Then the step fails, and steps that wait for it continue. Empty means up to ten attempts.',
} as const

type LimitName = keyof typeof descriptions

function LimitField({ form, index, name }: StepFieldsProps & { readonly name: LimitName }) {
  const path = `steps.${index}.${name}`
  return (
    <Group align="flex-end" grow preventGrowOverflow={false}>
      <NumberInput
        label={fieldLabels[name]}
        description={descriptions[name]}
        min={1}
        allowDecimal={false}
        clampBehavior="none"
        {...form.getInputProps(`${path}.amount`)}
        error={useFieldError(form)(path)}
      />
      <NativeSelect
        aria-label={`Unit of ${fieldLabels[name].toLowerCase()}`}
        data={units}
        {...form.getInputProps(`${path}.unit`)}
      />
    </Group>
  )
}

export const ExpiryField = (props: StepFieldsProps) => <LimitField {...props} name="expiresAfter" />

function IntegrationField({ form, index }: StepFieldsProps) {
  const path = `steps.${index}.integrationIdentifier`
  return (
    <TextInput
      label={fieldLabels.integrationIdentifier}
      description="The identifier of the integration that sends the message. Empty means the preferred one of the channel."
      {...form.getInputProps(path)}
      error={useFieldError(form)(path)}
    />
  )
}

export function LimitFields(props: StepFieldsProps) {
  return (
    <>
      <IntegrationField {...props} />
      <ExpiryField {...props} />
      <LimitField {...props} name="timeLimit" />
    </>
  )
}
