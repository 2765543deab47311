// The form of a workflow: its values, its errors, and the function that saves it.
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useClient } from 'urql'
import { useAct } from '../../graph/act.ts'
import { isStale, type Problem } from '../../graph/problem.ts'
import { showDone } from '../../parts/messages.ts'
import { useFoundDraft, useKeptDraft } from './draft/use-kept-draft.ts'
import { type FieldErrors, placed, valueErrors } from './draft/workflow-problems.ts'
import {
  updateWorkflowMutation,
  type Workflow,
  workflowInput,
  workflowQuery,
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
 * fields. If somebody else has saved the workflow meanwhile, `conflict` is their version until the user has chosen.
 */
export function useWorkflowForm(workflow: Workflow) {
  const { identifier } = workflow
  // A later result of the query must not replace unsaved input.
  const [initialValues] = useState(() => workflowValues(workflow))
  const form = useForm<WorkflowValues>({ initialValues })
  const found = useFoundDraft(workflow.id, initialValues)
  const [general, setGeneral] = useState<readonly Problem[]>([])
  const [updateWorkflow, saving] = useAct(updateWorkflowMutation)
  const client = useClient()
  /** The version that the changes in the form are based on. */
  const [version, setVersion] = useState(found?.version ?? workflow.version)
  // A restored draft may be based on an earlier version.
  const [conflict, setConflict] = useState(found !== null && found.version !== workflow.version ? workflow : null)
  const { restored, forget } = useKeptDraft(form, workflow.id, version, found)

  const reject = (errors: FieldErrors, others: readonly Problem[]) => {
    form.setErrors(errors)
    setGeneral(others)
    return errors
  }
  /** Shows the present version beside the form. */
  const compare = async (others: readonly Problem[]): Promise<FieldErrors> => {
    const { data } = await client.query(workflowQuery, { identifier }, { requestPolicy: 'network-only' })
    if (!data?.workflow) return reject({}, others)
    setConflict(data.workflow)
    return {}
  }
  const save = async (expectedVersion = version): Promise<FieldErrors> => {
    const values = form.getValues()
    const errors = valueErrors(values)
    if (Object.keys(errors).length > 0) return reject(errors, [])
    const { unsubscribe } = values
    // What is stored may be another way to say what applies, so that it is only replaced by a choice.
    const isChosen =
      form.isDirty('unsubscribe') || (conflict !== null && workflowValues(conflict).unsubscribe !== unsubscribe)
    const outcome = await updateWorkflow({
      ...workflowInput(identifier, values),
      ...(isChosen && { unsubscribe }),
      expectedVersion,
    })
    setConflict(null)
    if (!outcome.ok) {
      if (isStale(outcome.problems)) return compare(outcome.problems)
      const { errors: found, general: others } = placed(outcome.problems, values)
      return reject(found, others)
    }
    form.clearErrors()
    setGeneral([])
    if (outcome.payload.workflow) setVersion(outcome.payload.workflow.version)
    const saved = outcome.payload.workflow && withSameSteps(workflowValues(outcome.payload.workflow), values)
    // Changes made while saving stay, as changes to the saved version.
    if (saved && form.getValues() === values) form.setValues(saved)
    form.resetDirty(saved ?? values)
    forget()
    showDone('Workflow saved.')
    return {}
  }
  const loadTheirs = (theirs: Workflow) => {
    const values = workflowValues(theirs)
    form.setValues(values)
    form.resetDirty(values)
    form.clearErrors()
    setGeneral([])
    setVersion(theirs.version)
    setConflict(null)
    forget()
  }
  /** Takes over that the workflow is inactive, and keeps the changes in the form. */
  const keepInactive = (saved: Workflow) => {
    form.setFieldValue('active', saved.active)
    // If somebody else saved more than that, saving the form must find it.
    if (saved.version > version + 1) return
    setVersion(saved.version)
    form.resetDirty(withSameSteps(workflowValues(saved), form.getValues()))
  }
  return {
    ...{ form, general, save, saving, keepInactive, loadTheirs, restored, forget },
    conflict,
    keepEditing: () => setConflict(null),
  }
}
