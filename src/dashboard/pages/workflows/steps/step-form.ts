// The form of a workflow, for the fields of one step.
import type { UseFormReturnType } from '@mantine/form'
import type { WorkflowValues } from '../draft/workflow-values.ts'

export type WorkflowForm = UseFormReturnType<WorkflowValues>

/** The properties that the fields of one step need. */
export interface StepFieldsProps {
  readonly form: WorkflowForm
  /** The position of the step in the workflow. */
  readonly index: number
  /** The variables that templates and conditions of the step can read. */
  readonly variables: readonly string[]
}
