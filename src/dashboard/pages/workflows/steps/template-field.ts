// A field whose text is a template: its value, and its error from the last save or the last check.
import { use } from 'react'
import { DraftErrors } from '../draft/checked-draft.ts'
import type { CodeProblem } from '../../../parts/code/code-language.ts'
import { useFieldError } from './field-error.ts'
import type { WorkflowForm } from './step-form.ts'

/** The field of a step with one template. */
export type TextName =
  'subject' | 'body' | 'url' | 'avatar' | 'incidentKey' | 'preheader' | 'textBody' | 'from' | 'senderName' | 'threadKey'

interface TemplateField {
  readonly value: string
  readonly error: React.ReactNode
  /** The position of the error, if it is known. */
  readonly problem: CodeProblem | undefined
  readonly set: (value: string) => void
}

export function useTemplateField(form: WorkflowForm, index: number, name: TextName): TemplateField {
  const path = `steps.${index}.${name}` as const
  return {
    value: form.values.steps[index]?.[name] ?? '',
    error: useFieldError(form)(path),
    problem: use(DraftErrors).get(path)?.problem,
    set: (value) => form.setFieldValue(path, value),
  }
}
