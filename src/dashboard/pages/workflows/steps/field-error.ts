// The error of a field of the workflow: from the last save, or from the check while someone types.
import { type ReactNode, use } from 'react'
import { DraftErrors } from '../draft/checked-draft.ts'
import type { WorkflowForm } from './step-form.ts'

/** Returns a function that finds the error of a field by its path. */
export function useFieldError(form: WorkflowForm): (path: string) => ReactNode {
  const errors = use(DraftErrors)
  return (path) => form.errors[path] ?? errors.get(path)?.message
}
