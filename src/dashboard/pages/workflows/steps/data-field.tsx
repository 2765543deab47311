// Custom data of an in-app step.
import { CodeEditor } from '../../../parts/code/code-editor.tsx'
import { useCanWrite } from '../../../session/session-context.ts'
import { fieldLabels } from './field-labels.ts'
import type { StepFieldsProps } from './step-form.ts'

export function DataField({ form, index }: StepFieldsProps) {
  return (
    <CodeEditor
      label={fieldLabels.data}
      description="Your own data for the feed, as a JSON object. Its strings are Liquid templates."
      language="json"
      readOnly={!useCanWrite()}
      {...form.getInputProps(`steps.${index}.data`)}
    />
  )
}
