// The body of an email: HTML with Liquid, written as rich text or as code.
import { useMemo } from 'react'
import { placeOf } from '../../../parts/form/place-of.ts'
import { HtmlInput } from '../../../parts/rich-text/html-input.tsx'
import { useCanWrite } from '../../../session/session-context.ts'
import { ownLabels } from './field-labels.ts'
import { LiquidField } from './liquid-field.tsx'
import type { StepFieldsProps } from './step-form.ts'
import { useTemplateField } from './template-field.ts'

const DESCRIPTION = 'A Liquid template. The output of {{ }} is escaped, unless it ends with | raw.'

export function EmailBody(props: StepFieldsProps) {
  const { form, index, variables } = props
  const { value, error, problem } = useTemplateField(form, index, 'body')
  const problems = useMemo(() => (problem === undefined ? [] : [problem]), [problem])
  const step = form.values.steps[index]
  // An undo may come after the step has moved.
  const placeNow = () => placeOf(form.getValues().steps, step)
  if (!useCanWrite()) return <LiquidField {...props} label="HTML" description={DESCRIPTION} />
  return (
    <HtmlInput
      label={ownLabels.EMAIL.body}
      description={DESCRIPTION}
      variables={variables}
      problems={problems}
      error={error}
      value={value}
      onChange={(body) => {
        const place = placeNow()
        if (place !== -1) form.setFieldValue(`steps.${place}.body`, body)
      }}
      read={() => form.getValues().steps[placeNow()]?.body ?? ''}
    />
  )
}
