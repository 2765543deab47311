// What the links of a workflow's messages turn off.
import type { LinkScope } from '../channel/link-token.ts'
import { unsubscribeOf } from '../workflow.ts'
import type { TriggeredWorkflow } from './triggered-workflow.ts'

/** Returns what the links of a workflow's messages turn off. Null if they have none. */
export function linkScopeOf(workflow: TriggeredWorkflow): LinkScope | null {
  const { id: workflowId, categoryId } = workflow
  const kind = unsubscribeOf(workflow)
  if (kind === 'off') return null
  return kind === 'category' && categoryId !== undefined
    ? { kind, workflowId, categoryId }
    : { kind: kind === 'all' ? kind : 'workflow', workflowId }
}

/** True if the messages of a workflow have unsubscribe links. */
export const isUnsubscribable = (workflow: TriggeredWorkflow): boolean => linkScopeOf(workflow) !== null
