// The incident that a message to a tool is about.
import { NativeSelect } from '@mantine/core'
import { fieldLabels } from './field-labels.ts'
import type { StepFieldsProps } from './step-form.ts'
import { TemplateInput } from './template-input.tsx'
import { incidentActions } from '../draft/step-values.ts'

const labels = { TRIGGER: 'Trigger', ACKNOWLEDGE: 'Acknowledge', RESOLVE: 'Resolve' } as const

export function IncidentFields(props: StepFieldsProps) {
  const { form, index } = props
  return (
    <>
      <TemplateInput
        {...props}
        name="incidentKey"
        label={fieldLabels.incidentKey}
        description="A Liquid template, such as {{ payload.incident }}. Messages with the same key are about the same incident."
      />
      <NativeSelect
        label={fieldLabels.incidentAction}
        description="What the message does with the incident at PagerDuty, Opsgenie or Grafana OnCall."
        data={incidentActions.map((value) => ({ value, label: labels[value] }))}
        {...form.getInputProps(`steps.${index}.incidentAction`)}
      />
    </>
  )
}
