// A field whose text is a template: its value, and its error from the last save or the last check.
import { use } from 'react'
import { TemplateChecks } from '../template-checks.ts'
import type { CodeProblem } from '../../../parts/code-language.ts'
import type { WorkflowForm } from './step-form.ts'

type TextName = 'subject' | 'body' | 'url' | 'avatar'

interface TemplateField {
  readonly value: string
  readonly error: React.ReactNode
  /** The place of the error, as far as it is known. */
  readonly problem: CodeProblem | undefined
  readonly set: (value: string) => void
}

export function useTemplateField(form: WorkflowForm, index: number, name: TextName): TemplateField {
  const path = `steps.${index}.${name}` as const
  const problem = use(TemplateChecks).get(path)
  return {
    value: form.values.steps[index]?.[name] ?? '',
    error: form.errors[path] ?? problem?.message,
    problem,
    set: (value) => form.setFieldValue(path, value),
  }
}
