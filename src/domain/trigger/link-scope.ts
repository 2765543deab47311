// What the links of a workflow's messages turn off.
import type { LinkScope } from '../channel/link-token.ts'
import type { TriggeredWorkflow } from './triggered-workflow.ts'

/** Returns what the links of a workflow's messages turn off. Null if they have none. */
export function linkScopeOf({ id, critical }: TriggeredWorkflow): LinkScope | null {
  return critical ? null : { kind: 'workflow', workflowId: id }
}

/** True if the messages of a workflow have unsubscribe links. */
export const isUnsubscribable = (workflow: TriggeredWorkflow): boolean => linkScopeOf(workflow) !== null
