// Advances existing runs: after a wait, or from where they stopped.
import { firstJobBeforeDigest } from '../data/queue/job-taking.ts'
import { advanceJobs, enqueue, type Job, type NewJob } from '../data/queue/job.ts'
import { retriedSteps } from '../data/repetition.ts'
import { type ActiveRun, holdRuns } from '../data/run.ts'
import { cancelRuns } from '../data/run-end.ts'
import { endWait, waitingRuns } from '../data/step-run.ts'
import type { EnvironmentScope } from '../domain/resolver/scope.ts'
import { jobBudget } from '../evaluation/evaluator.ts'
import { groupBy } from '../lib/group-by.ts'
import type { WorkflowEvaluation } from './decision/decision.ts'
import { executePermitted, executeRuns, type Positions } from './execution.ts'
import { withoutExtended } from './extended-wait.ts'
import { messageRoom, PendingChanges } from './pending-changes.ts'
import { endOverdue } from './overdue.ts'
import { openRunContext } from './decision/run-context.ts'
import { permitRuns, recordEvaluation } from './suspension.ts'

export interface Advance {
  /** The runs, all of the same event. */
  readonly runIds: readonly string[]
  /** The position of the step whose wait has ended. Undefined if the runs do not continue after a wait. */
  readonly due?: number | undefined
  /** How often this wait was prolonged. Default: never. */
  readonly extended?: number | undefined
  /** When the next step of the runs is due. Waits that begin in that step count from this time. */
  readonly dueAt: Date
  /** The workflow of the runs if they may still reach one of its digests. Defaults to null. */
  readonly digestWorkflowId?: string | null
}

/**
 * Advances runs to their next wait or to their end, in the caller's transaction. Idempotent: a run that has ended or
 * waits for something else is not changed. Runs that exceed the evaluation budget, or the room for messages, are put
 * back as a new job.
 *
 * @param preview the evaluation of a preview, which also runs suspended workflows. Undefined for real runs.
 */
export async function advanceRuns(
  scope: EnvironmentScope,
  { runIds, due, extended, dueAt, digestWorkflowId = null }: Advance,
  preview?: WorkflowEvaluation,
): Promise<void> {
  const held = await holdRuns(scope, runIds)
  const [first] = held
  if (first === undefined) return
  const { db, environmentId, now } = scope
  const event = await db.event.findUniqueOrThrow({
    where: { environmentId_id: { environmentId, id: first.eventId } },
  })
  if (event.cancelledAt !== null) return cancelRuns(scope, event.id, now())
  const changes = new PendingChanges(scope)
  const room = preview ? undefined : messageRoom(runIds.length)
  const retriedIds = held.filter(({ isRetried }) => isRetried).map(({ id }) => id)
  const retried = await retriedSteps(scope, retriedIds)
  // Retried runs may execute another workflow than the others.
  for (const [snapshotHash, runs] of groupBy(held, (run) => run.snapshotHash ?? event.snapshotHash)) {
    const runContext = await openRunContext(scope, { ...event, snapshotHash })
    const evaluation = preview ?? { ...scope.evaluator.begin(jobBudget), stops: [] }
    const execution = { scope, runContext, evaluation, changes, room, dueAt, retried }
    const start = async () => {
      const over = await withoutExtended(execution, runs, { position: due, extended, digestWorkflowId })
      return startingPositions(scope, over, due)
    }
    if (preview) {
      await executeRuns(execution, await start(), digestWorkflowId)
      continue
    }
    const permit = await permitRuns(scope, runContext.workflow)
    const positions = permit.kind === 'none' ? new Map(runs.map((run) => [run, run.position])) : await start()
    await executePermitted(execution, positions, permit, digestWorkflowId)
    await recordEvaluation(scope, runContext.workflow, permit, evaluation)
  }
  await changes.write()
}

/** Jobs for the remaining runs of a job. */
export const restOf = (
  { data, dueAt, digestWorkflowId, priority }: Job<'advance'>,
  runIds: readonly string[],
): NewJob[] =>
  advanceJobs(runIds, {
    position: data.due,
    closesDigestOf: data.closesDigestOf,
    extended: data.extended,
    expires: data.expires,
    dueAt,
    digestWorkflowId,
    priority,
  })

/** Milliseconds after which a digest checks again whether it may close. */
const DIGEST_PAUSE = 100

/**
 * Executes a job that advances runs.
 *
 * @param take the number of runs to advance now. The others become a new job.
 * @returns the number of runs advanced.
 */
export async function advance(scope: EnvironmentScope, job: Job<'advance'>, take: number): Promise<number> {
  const { runIds, due, closesDigestOf, extended, expires } = job.data
  const { dueAt, digestWorkflowId } = job
  if (due !== undefined && closesDigestOf !== undefined) {
    // An event that was accepted within the digest's time belongs to it, even if its jobs wait behind others.
    const first = await firstJobBeforeDigest(scope, { workflowId: closesDigestOf, position: due, dueAt })
    if (first !== null) {
      const availableAt = new Date(Math.max(scope.now().getTime() + DIGEST_PAUSE, first.getTime() + 1))
      await enqueue(
        scope,
        restOf(job, runIds).map((again) => ({ ...again, availableAt })),
      )
      return 0
    }
  }
  const now = runIds.slice(0, take)
  if (expires === undefined) await advanceRuns(scope, { runIds: now, due, extended, dueAt, digestWorkflowId })
  else await endOverdue(scope, { runIds: now, position: expires }, job.priority)
  await enqueue(scope, restOf(job, runIds.slice(take)))
  return Math.min(runIds.length, take)
}

/** The position from which each run continues. Leaves out runs whose wait has not ended. */
async function startingPositions(
  scope: EnvironmentScope,
  held: readonly ActiveRun[],
  due: number | undefined,
): Promise<Positions> {
  const waiting = held.filter(({ status }) => status === 'waiting').map(({ id }) => id)
  const over = due === undefined ? new Set<string>() : await endWait(scope, waiting, due, scope.now())
  const stillWaiting = await waitingRuns(scope, waiting)
  return new Map(
    held
      .filter(({ id }) => !stillWaiting.has(id))
      .map((run) => [run, over.has(run.id) ? run.position + 1 : run.position]),
  )
}
