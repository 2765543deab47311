// Updates a workflow. A deactivation can also cancel what the workflow has begun.
import { z } from 'zod'
import { unwrappedMutation } from '../domain/resolver/resolver.ts'
import { workflowRate } from '../domain/workflow-check.ts'
import { prepareWorkflowChange, type Workflow, workflowChanges } from '../domain/workflow.ts'
import { refuse } from '../lib/errors.ts'
import { type CancelledAll, cancelOpen, MAX_CANCELLED, untilNow } from './cancel-all.ts'

const cancelPending = z
  .boolean()
  .nullish()
  .meta({
    description: `True also cancels the workflow's events that are not over, at most ${MAX_CANCELLED} runs in one call: repeat it while \`cancellation.hasMore\` is true. Requires \`active: false\`.`,
  })

export interface UpdatedWorkflow {
  readonly workflow: Workflow
  /** What `cancelPending` has cancelled. Null without it. */
  readonly cancellation: CancelledAll | null
}

/**
 * Changes the given fields, in one transaction. `cancelPending` then cancels the workflow's events that are not over, in
 * portions and at most `MAX_CANCELLED` runs. The workflow is inactive by then, so no trigger begins another event. The
 * same call continues a cancellation that was interrupted or that reached the limit.
 */
export const updateWorkflow = unwrappedMutation({
  name: 'workflow.update',
  permission: 'workflow:write',
  rate: workflowRate,
  input: workflowChanges.extend({ cancelPending }),
  async run(scope, { cancelPending, ...given }): Promise<UpdatedWorkflow> {
    if (cancelPending === true && given.active !== false) {
      throw refuse('INVALID', 'cancelPending requires active: false', 'cancelPending', cancelPending)
    }
    const workflow = await scope.transaction(await prepareWorkflowChange(scope, given))
    if (cancelPending !== true) return { workflow, cancellation: null }
    const { identifier } = workflow
    const filter = { workflowIdentifier: [identifier], createdBefore: untilNow(scope) }
    return { workflow, cancellation: await cancelOpen(scope, filter, { workflowIdentifier: identifier }) }
  },
})
