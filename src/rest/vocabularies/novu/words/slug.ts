// Slugs: names of workflows and steps in addresses, which callers can use in place of an identifier.

interface Named {
  readonly id: string
  readonly identifier: string
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const workflowId = new RegExp(`^(?:.*_wf_)?(${uuid})$`, 'i')

export const slugOfWorkflow = ({ identifier, id }: Named): string => `${identifier}_wf_${id}`

/** Returns the workflow that a path names, by its identifier, `_id` or slug. */
export function workflowCalled(word: string): { readonly identifier: string } | { readonly id: string } {
  const [, id] = workflowId.exec(word) ?? []
  return id === undefined ? { identifier: word } : { id: id.toLowerCase() }
}

export const slugOfStep = (stepId: string): string => `${stepId}_st_${stepId}`

/** Whether a path names a step, by its id or slug. */
export const isStepCalled = (stepId: string, word: string): boolean => word === stepId || word === slugOfStep(stepId)
