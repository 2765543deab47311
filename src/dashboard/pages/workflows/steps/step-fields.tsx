// The fields of a step by its type.
import { TextInput } from '@mantine/core'
import { ActionFields } from './action-fields.tsx'
import { DataField } from './data-field.tsx'
import { LiquidField } from './liquid-field.tsx'
import type { StepFieldsProps } from './step-form.ts'
import type { StepType } from './step-values.ts'
import { TemplateInput } from './template-input.tsx'
import { WaitFields } from './wait-fields.tsx'

const LIQUID = 'A Liquid template, such as Hello {{ subscriber.firstName }}.'

function TextSteps(props: StepFieldsProps) {
  return <LiquidField {...props} label="Text" description={LIQUID} />
}

function Subject({ label, required, ...props }: StepFieldsProps & { label: string; required: boolean }) {
  return <TemplateInput {...props} name="subject" label={label} description="A Liquid template." required={required} />
}

const fields = {
  IN_APP: (props) => (
    <>
      <Subject {...props} label="Heading" required={false} />
      <LiquidField {...props} label="Text" description={LIQUID} />
      <TemplateInput
        {...props}
        name="url"
        label="Link"
        description="What a click on the notification opens. A Liquid template of a URL, or of a path that starts with /."
      />
      <TemplateInput {...props} name="avatar" label="Picture" description="A Liquid template of the URL of an image." />
      <ActionFields {...props} />
      <DataField {...props} />
    </>
  ),
  EMAIL: (props) => (
    <>
      <Subject {...props} label="Subject" required />
      <LiquidField
        {...props}
        label="HTML"
        description="A Liquid template. What {{ }} inserts is escaped, unless it ends with | raw."
      />
    </>
  ),
  SMS: TextSteps,
  CHAT: TextSteps,
  PUSH: (props) => (
    <>
      <Subject {...props} label="Title" required />
      <TextSteps {...props} />
    </>
  ),
  TOOL: (props) => (
    <>
      <Subject {...props} label="Summary" required={false} />
      <TextSteps {...props} />
    </>
  ),
  DELAY: (props) => <WaitFields {...props} label="Wait for" />,
  DIGEST: (props) => (
    <>
      <WaitFields {...props} label="Collect for" />
      <TextInput
        label="Group by"
        description="A path in the payload, such as order.id: triggers with the same value are collected. Empty collects all triggers of a subscriber."
        {...props.form.getInputProps(`steps.${props.index}.key`)}
      />
    </>
  ),
} as const satisfies Record<StepType, (props: StepFieldsProps) => React.ReactNode>

export function StepFields({ type, ...props }: StepFieldsProps & { readonly type: StepType }) {
  const Fields = fields[type]
  return <Fields {...props} />
}
