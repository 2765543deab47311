// Suspended workflows: their runs fail immediately, except for one trial run every ten minutes.
import { claimTrial, isTrialDue, liftSuspension, recordStop, suspensions } from '../data/workflow-suspension.ts'
import { MAX_DETAIL } from '../domain/outbox/webhook-type.ts'
import { recordWebhookMessages } from '../domain/outbox/webhook-message.ts'
import type { EnvironmentScope } from '../domain/resolver/scope.ts'
import { type TriggeredWorkflow, versionOf } from '../domain/trigger/triggered-workflow.ts'
import type { WorkflowEvaluation } from './decision/decision.ts'
import { shorten } from '../lib/shorten.ts'

/** The permission of a job to execute runs of a workflow: all, one trial run or none, with the reason. */
export type Permit = { readonly kind: 'all' | 'trial' } | { readonly kind: 'none'; readonly error: string }

/** Decides on runs of a workflow. If a trial is due, claims it for them. */
export async function permitRuns(scope: EnvironmentScope, workflow: TriggeredWorkflow): Promise<Permit> {
  const suspension = await scope.load(suspensions, versionOf(workflow))
  if (suspension === null) return { kind: 'all' }
  const now = scope.now()
  if (isTrialDue(suspension, now) && (await claimTrial(scope, versionOf(workflow), now))) return { kind: 'trial' }
  return { kind: 'none', error: `Workflow "${workflow.identifier}" is suspended. ${suspension.reason}` }
}

/** Records the result of an evaluation in one transaction: a stop, or a successful trial. */
export async function recordEvaluation(
  scope: EnvironmentScope,
  workflow: TriggeredWorkflow,
  permit: Permit,
  { stops }: WorkflowEvaluation,
): Promise<void> {
  const { environmentId, log } = scope
  const fields = { environmentId, workflow: workflow.identifier }
  const [reason] = stops
  if (reason !== undefined) {
    const isSuspended = await recordStop(scope, versionOf(workflow), reason, scope.now())
    if (!isSuspended) return
    scope.afterCommit(() => log.warn({ ...fields, reason }, 'workflow suspended'))
    await recordWebhookMessages(scope, 'workflow.suspended', () => [
      { data: { workflowIdentifier: workflow.identifier, reason: shorten(reason, MAX_DETAIL) } },
    ])
  } else if (permit.kind === 'trial') {
    const isLifted = await liftSuspension(scope, versionOf(workflow))
    if (isLifted) scope.afterCommit(() => log.info(fields, 'workflow suspension ended'))
  }
}
