// The fields of a step by its type.
import { TextInput } from '@mantine/core'
import type { StepType } from '../../../parts/step-types.ts'
import { ActionFields } from './action-fields.tsx'
import { DataField } from './data-field.tsx'
import { EmailBody } from './email-body.tsx'
import { EnvelopeFields, Preheader } from './envelope-fields.tsx'
import { IncidentFields } from './incident-fields.tsx'
import { ExpiryField, LimitFields } from './limit-fields.tsx'
import { LiquidField } from './liquid-field.tsx'
import { useFieldError } from './field-error.ts'
import { fieldLabels, ownLabels } from './field-labels.ts'
import { PayloadFields } from './payload-fields.tsx'
import type { StepFieldsProps } from './step-form.ts'
import { TargetField } from './target-field.tsx'
import { TemplateInput } from './template-input.tsx'
import { WaitFields } from './wait-fields.tsx'

const LIQUID = 'A Liquid template, such as Hello {{ subscriber.firstName }}.'

function TextSteps(props: StepFieldsProps) {
  return (
    <>
      <LiquidField {...props} label={fieldLabels.body} description={LIQUID} />
      <LimitFields {...props} />
    </>
  )
}

function Subject({ label, required, ...props }: StepFieldsProps & { label: string; required: boolean }) {
  return <TemplateInput {...props} name="subject" label={label} description="A Liquid template." required={required} />
}

function DigestKey({ form, index }: StepFieldsProps) {
  const path = `steps.${index}.key`
  return (
    <TextInput
      label={fieldLabels.key}
      description="A path in the payload, such as order.id. Triggers with the same value form one digest. If it is empty, all triggers for a subscriber do."
      {...form.getInputProps(path)}
      error={useFieldError(form)(path)}
    />
  )
}

const fields = {
  IN_APP: (props) => (
    <>
      <Subject {...props} label={ownLabels.IN_APP.subject} required={false} />
      <LiquidField {...props} label={fieldLabels.body} description={LIQUID} />
      <TemplateInput
        {...props}
        name="url"
        label={fieldLabels.url}
        description="The page that a click on the notification opens. A Liquid template for a URL, or for a path that starts with /."
      />
      <TargetField
        form={props.form}
        path={`steps.${props.index}.target`}
        value={props.form.values.steps[props.index]?.target}
      />
      <TemplateInput
        {...props}
        name="avatar"
        label={fieldLabels.avatar}
        description="A Liquid template for the URL of an image."
      />
      <ActionFields {...props} />
      <DataField {...props} />
      <PayloadFields {...props} />
      <ExpiryField {...props} />
    </>
  ),
  EMAIL: (props) => (
    <>
      <Subject {...props} label={fieldLabels.subject} required />
      <Preheader {...props} />
      <EmailBody {...props} />
      <EnvelopeFields {...props} />
      <LimitFields {...props} />
    </>
  ),
  SMS: TextSteps,
  CHAT: TextSteps,
  PUSH: (props) => (
    <>
      <Subject {...props} label={ownLabels.PUSH.subject} required />
      <TextSteps {...props} />
    </>
  ),
  TOOL: (props) => (
    <>
      <Subject {...props} label={ownLabels.TOOL.subject} required={false} />
      <TextSteps {...props} />
      <IncidentFields {...props} />
    </>
  ),
  DELAY: (props) => <WaitFields {...props} label={ownLabels.DELAY.amount} />,
  DIGEST: (props) => (
    <>
      <WaitFields {...props} label={ownLabels.DIGEST.amount} />
      <DigestKey {...props} />
    </>
  ),
} as const satisfies Record<StepType, (props: StepFieldsProps) => React.ReactNode>

export function StepFields({ type, ...props }: StepFieldsProps & { readonly type: StepType }) {
  const Fields = fields[type]
  return <Fields {...props} />
}
