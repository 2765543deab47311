// The text of a message: a Liquid template, with its errors at their lines.
import { useMemo } from 'react'
import { CodeEditor } from '../../../parts/code/code-editor.tsx'
import { useCanWrite } from '../../../session/session-context.ts'
import type { StepFieldsProps } from './step-form.ts'
import { useTemplateField } from './template-field.ts'

interface LiquidFieldProps extends StepFieldsProps {
  readonly label: string
  readonly description: string
}

export function LiquidField({ form, index, variables, label, description }: LiquidFieldProps) {
  const { value, error, problem, set } = useTemplateField(form, index, 'body')
  const problems = useMemo(() => (problem === undefined ? [] : [problem]), [problem])
  return (
    <CodeEditor
      label={label}
      description={description}
      language="liquid"
      required
      readOnly={!useCanWrite()}
      variables={variables}
      problems={problems}
      error={error}
      value={value}
      onChange={set}
    />
  )
}
