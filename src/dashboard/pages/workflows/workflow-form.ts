// The form of a workflow: its values, its errors, and the function that saves it.
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useAct } from '../../graph/act.ts'
import type { Problem } from '../../graph/problem.ts'
import { showDone } from '../../parts/messages.ts'
import { type FieldErrors, placed, valueErrors } from './draft/workflow-problems.ts'
import {
  updateWorkflowMutation,
  type Workflow,
  workflowInput,
  type WorkflowValues,
  workflowValues,
} from './draft/workflow-values.ts'

/** Keeps the identity of the steps on the page after they were saved. */
const withSameSteps = (saved: WorkflowValues, { steps }: WorkflowValues): WorkflowValues => ({
  ...saved,
  steps: saved.steps.map((step, index) => ({ ...step, uid: steps[index]?.uid ?? step.uid })),
})

/**
 * Returns the form of a workflow, the errors outside its fields, and a function that saves it and returns the errors at
 * fields.
 */
export function useWorkflowForm(workflow: Workflow) {
  const { identifier } = workflow
  // A later result of the query must not replace unsaved input.
  const [initialValues] = useState(() => workflowValues(workflow))
  const form = useForm<WorkflowValues>({ initialValues })
  const [general, setGeneral] = useState<readonly Problem[]>([])
  const [updateWorkflow, saving] = useAct(updateWorkflowMutation)

  const reject = (errors: FieldErrors, others: readonly Problem[]) => {
    form.setErrors(errors)
    setGeneral(others)
    return errors
  }
  const save = async (): Promise<FieldErrors> => {
    const values = form.getValues()
    const errors = valueErrors(values)
    if (Object.keys(errors).length > 0) return reject(errors, [])
    const outcome = await updateWorkflow(workflowInput(identifier, values))
    if (!outcome.ok) {
      const { errors: found, general: others } = placed(outcome.problems, values)
      return reject(found, others)
    }
    form.clearErrors()
    setGeneral([])
    const saved = outcome.payload.workflow && withSameSteps(workflowValues(outcome.payload.workflow), values)
    // Changes made while saving stay, as changes to the saved version.
    if (saved && form.getValues() === values) form.setValues(saved)
    form.resetDirty(saved ?? values)
    showDone('Workflow saved.')
    return {}
  }
  return { form, general, save, saving }
}
