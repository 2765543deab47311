// The unsaved changes of a workflow, which the tab keeps through a reload, with the version that they are based on.
import { forget, keep, keptText } from '../../../session/kept.ts'
import { newStep } from './step-values.ts'
import type { WorkflowValues } from './workflow-values.ts'

export interface KeptDraft {
  /** The time of the last change, in ISO 8601. */
  readonly at: string
  readonly version: number
  readonly values: WorkflowValues
}

const nameOf = (workflowId: string) => `workflow ${workflowId}`

/** True if the value has the fields of the example, each of the same type. An earlier release may have written others. */
const isLike = (value: unknown, example: object): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(example).every(([name, one]) => {
    const found: unknown = Reflect.get(value, name)
    return typeof found === typeof one && Array.isArray(found) === Array.isArray(one)
  })

const isWorkflowValues = (value: unknown, stored: WorkflowValues): value is WorkflowValues => {
  if (!isLike(value, stored)) return false
  const { steps } = value as WorkflowValues
  // An amount is a number, or empty while someone types.
  const { amount: _, ...example } = newStep('EMAIL', [])
  return steps.every((step) => isLike(step, example))
}

/** Returns the draft, or null if there is none. */
export function keptDraft(environmentId: string, workflowId: string, stored: WorkflowValues): KeptDraft | null {
  try {
    const found: unknown = JSON.parse(keptText(environmentId, nameOf(workflowId)) ?? 'null')
    if (!isLike(found, { at: '', version: 0, values: {} })) return null
    const draft = found as KeptDraft
    return isWorkflowValues(draft.values, stored) ? draft : null
  } catch {
    return null
  }
}

export const keepDraft = (environmentId: string, workflowId: string, draft: KeptDraft): void =>
  keep(environmentId, nameOf(workflowId), JSON.stringify(draft))

export const forgetDraft = (environmentId: string, workflowId: string): void =>
  forget(environmentId, nameOf(workflowId))
