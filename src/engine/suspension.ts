// Suspended workflows: their runs fail at once, except for one every ten minutes that is tried.
import { giveUpRuns } from '../data/run.ts'
import { claimTrial, isTrialDue, liftSuspension, recordStop, suspensions } from '../data/workflow-suspension.ts'
import type { EnvironmentScope } from '../domain/scope.ts'
import { type TriggeredWorkflow, versionOf } from '../domain/triggered-workflow.ts'
import type { WorkflowEvaluation } from './decision.ts'

/** What a job may do with the runs of a workflow: execute all, try one, or none. */
export type Permit = 'all' | 'trial' | 'none'

const errorOf = (reason: string) => `workflow suspended: ${reason}`

/** Decides about runs of a workflow. Those that must not be executed fail. */
export async function permitRuns(
  scope: EnvironmentScope,
  workflow: TriggeredWorkflow,
  runIds: readonly string[],
): Promise<Permit> {
  const suspension = await scope.load(suspensions, versionOf(workflow))
  if (suspension === null) return 'all'
  const now = scope.now()
  if (isTrialDue(suspension, now) && (await claimTrial(scope, versionOf(workflow), now))) return 'trial'
  await giveUpRuns(scope, runIds, errorOf(suspension.reason), now)
  return 'none'
}

/** Records the result of an evaluation: a stop, or the success of a trial. */
export async function recordEvaluation(
  scope: EnvironmentScope,
  workflow: TriggeredWorkflow,
  permit: Permit,
  { stops }: WorkflowEvaluation,
): Promise<void> {
  const [reason] = stops
  if (reason !== undefined) await recordStop(scope, versionOf(workflow), reason, scope.now())
  else if (permit === 'trial') await liftSuspension(scope, versionOf(workflow))
}

/** Returns why an event of a workflow must not run, or undefined if it may, also if only as a trial. */
export async function suspensionErrorOf(
  scope: EnvironmentScope,
  workflow: TriggeredWorkflow,
): Promise<string | undefined> {
  const suspension = await scope.load(suspensions, versionOf(workflow))
  if (suspension === null || isTrialDue(suspension, scope.now())) return undefined
  return errorOf(suspension.reason)
}
