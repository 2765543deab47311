// Executes the steps of runs, many runs of one event at a time, until each run waits or ends.
import { advanceJobs } from '../data/queue/job.ts'
import type { RunStatus } from '../data/prisma/enums.ts'
import type { ActiveRun, NewRun, RunState } from '../data/run.ts'
import type { StepRunRow } from '../data/step-run.ts'
import type { TriggeredWorkflow } from '../domain/trigger/triggered-workflow.ts'
import { present } from '../lib/present.ts'
import { exclusionsOf } from './admission.ts'
import { openSteps, passedOver, stepRunRow } from './retried-run.ts'
import { variablesFor } from './decision/run-context.ts'
import { type RunExecution, executeStep } from './step.ts'
import type { Permit } from './suspension.ts'

/** Runs, each with the position of its next step. */
export type Positions = ReadonlyMap<ActiveRun, number>

/** The status of a run that stops before the next step. */
const statusAfter = { wait: 'waiting', end: 'completed', later: 'running' } as const satisfies Record<string, RunStatus>

/** The state of a run that has not started. */
export const startState: Omit<RunState, 'error'> = { status: 'running', position: 0 }

/** The usual state of a workflow's runs after they were executed from the first step, and their usual outcome. */
export function likelyState({ steps }: TriggeredWorkflow): Omit<RunState, 'error'> & Pick<NewRun, 'outcome'> {
  const waiting = steps.findIndex(({ type }) => type === 'delay' || type === 'digest')
  if (waiting !== -1) return { status: 'waiting', position: waiting }
  // The feed has its entries at once. Other messages are in delivery.
  const isFeed = steps.every(({ type, active }) => type === 'in_app' || !active)
  return { status: 'completed', position: steps.length, outcome: isFeed ? 'delivered' : 'pending' }
}

/**
 * Executes runs. Runs that exceed the evaluation budget, or the room for messages, are put back as a new job.
 *
 * @param digestWorkflowId the workflow of the runs if they may still reach one of its digests.
 */
export async function executeRuns(
  execution: RunExecution,
  runs: Positions,
  digestWorkflowId: string | null,
): Promise<void> {
  const { runContext, evaluation, changes } = execution
  const { steps } = runContext.workflow
  const positions = new Map(runs)
  const later = await skipUnsubscribed(execution, positions)
  while (positions.size > 0) {
    const position = Math.min(...positions.values())
    const reached = [...positions].filter(([, at]) => at === position).map(([run]) => run)
    const step = steps[position]
    const passed = new Map(reached.map((run) => [run.id, passedOver({ ...execution, position }, run)]))
    const open = reached.filter(({ id }) => passed.get(id) === undefined)
    const outcomes = step && open.length > 0 ? await executeStep({ ...execution, step, position }, open) : undefined
    for (const run of reached) {
      const outcome = passed.get(run.id) ?? outcomes?.get(run.id) ?? 'end'
      if (outcome === 'next') {
        positions.set(run, position + 1)
        continue
      }
      positions.delete(run)
      if (outcome === 'later') later.push(run)
      changes.move(run, { status: statusAfter[outcome], position, error: null })
    }
  }
  putBack(execution, later, digestWorkflowId, evaluation.pause())
}

/** Executes runs, as far as a suspension of their workflow permits. */
export async function executePermitted(
  execution: RunExecution,
  runs: Positions,
  permit: Permit,
  digestWorkflowId: string | null,
): Promise<void> {
  const { evaluation, changes } = execution
  if (permit.kind === 'none') {
    for (const [run, position] of runs) changes.move(run, { status: 'failed', position, error: permit.error })
    return
  }
  const tried = permit.kind === 'trial' ? [...runs].slice(0, 1) : [...runs]
  const untried = [...runs].slice(tried.length)
  for (const [run, position] of untried) changes.move(run, { status: 'running', position, error: null })
  await executeRuns(execution, new Map(tried), digestWorkflowId)
  putBack(
    execution,
    untried.map(([run]) => run),
    digestWorkflowId,
    evaluation.pause(),
  )
}

/** @param pause the milliseconds after which the runs can be executed. */
function putBack(
  { scope, runContext: { priority }, changes, dueAt }: RunExecution,
  runs: readonly ActiveRun[],
  digestWorkflowId: string | null,
  pause: number,
): void {
  const availableAt = new Date(scope.now().getTime() + pause)
  const runIds = runs.map(({ id }) => id)
  const timing = { dueAt, digestWorkflowId, priority, ...(pause > 0 && { availableAt }) }
  changes.add({ jobs: advanceJobs(runIds, timing) })
}

/**
 * Ends new and retried runs that no topic subscription admits. Each step is skipped with the reason `topic_preference`, or
 * fails if a condition could not be evaluated.
 *
 * @returns the runs to decide later, which are removed from `positions`.
 */
async function skipUnsubscribed(execution: RunExecution, positions: Map<ActiveRun, number>): Promise<ActiveRun[]> {
  const { scope, runContext, evaluation, changes, admitted, retried } = execution
  const fresh = [...positions].flatMap(([run, position]) => (position === 0 || run.isRetried ? [run] : []))
  const recipients = fresh.map(({ subscriber }) => ({ subscriber, variables: variablesFor(runContext, subscriber) }))
  const exclusions = await exclusionsOf(scope, evaluation, runContext, recipients, admitted)
  const { steps } = runContext.workflow
  const later: ActiveRun[] = []
  const rows: StepRunRow[] = []
  for (const [index, run] of fresh.entries()) {
    const exclusion = exclusions[index]
    if (exclusion === undefined) continue
    if (exclusion === 'later') {
      later.push(run)
      // It may have been created in the state that most runs end in.
      changes.move(run, { ...startState, position: positions.get(run) ?? 0, error: null })
      positions.delete(run)
      continue
    }
    const status = exclusion.reason === 'topic_preference' ? 'skipped' : 'failed'
    const result = { status, ...present(exclusion), detail: runContext.hide(exclusion.detail) } as const
    rows.push(...openSteps(retried, run, steps).map((place) => stepRunRow({ scope, retried, ...place }, run, result)))
    positions.set(run, steps.length)
  }
  changes.add({ steps: rows })
  return later
}
