// Advances runs: executes their steps, many runs of one event at a time, until each run waits or ends.
import { firstJobBeforeDigest } from '../data/job-taking.ts'
import { advanceJobs, enqueue, type Job, type NewJob } from '../data/job.ts'
import type { RunStatus } from '../data/prisma/enums.ts'
import { cancelRuns, type HeldRun, holdRuns, moveRuns } from '../data/run.ts'
import { endWait, insertStepRuns, type StepRunRow, waitingRuns } from '../data/step-run.ts'
import type { EnvironmentScope } from '../domain/scope.ts'
import { jobBudget } from '../evaluation/evaluator.ts'
import { exclusionsOf } from './admission.ts'
import { reasons, type WorkflowEvaluation } from './decision.ts'
import { openRunContext, variablesFor } from './run-context.ts'
import { executeStep, type StepContext, stepRunRow, subscriberOfRun } from './step.ts'
import { permitRuns, recordEvaluation } from './suspension.ts'

export interface Advance {
  /** The runs, all of the same event. */
  readonly runIds: readonly string[]
  /** The position of the step whose wait is over. Undefined if the runs do not continue after a wait. */
  readonly due?: number | undefined
  /** When the next step of the runs is due: the waits that they begin count from then. */
  readonly dueAt: Date
  /** As in their job. Defaults to null. */
  readonly digestWorkflowId?: string | null
}

/**
 * Advances runs to their next wait or to their end, in the caller's transaction. Idempotent: a run that has ended or
 * waits for something else is not changed. Runs for which the time for evaluation does not suffice are put back as a new
 * job.
 *
 * @param given the evaluation of a preview, which runs suspended workflows too.
 */
export async function advanceRuns(
  scope: EnvironmentScope,
  { runIds, due, dueAt, digestWorkflowId = null }: Advance,
  given?: WorkflowEvaluation,
): Promise<void> {
  const held = await holdRuns(scope, runIds)
  const [first] = held
  if (first === undefined) return
  const { db, environmentId, now } = scope
  const event = await db.event.findUniqueOrThrow({
    where: { environmentId_id: { environmentId, id: first.eventId } },
  })
  if (event.cancelledAt !== null) return cancelRuns(scope, event.id, now())
  const runContext = await openRunContext(scope, event)
  const { workflow } = runContext
  const ids = held.map(({ id }) => id)
  const permit = given ? 'all' : await permitRuns(scope, workflow, ids)
  if (permit === 'none') return
  const evaluation = given ?? { ...scope.evaluator.begin(jobBudget), stops: [] }
  const positions = await startingPositions(scope, held, due)
  const untried = permit === 'trial' ? [...positions].slice(1) : []
  for (const [run] of untried) positions.delete(run)
  const moves = untried.map(([{ id }, position]): Move => ({ id, status: 'running', position }))
  const later = untried.map(([{ id }]) => id)
  later.push(...(await skipUnsubscribed({ scope, runContext, evaluation, dueAt }, positions)))
  while (positions.size > 0) {
    const position = Math.min(...positions.values())
    const runs = [...positions].filter(([, at]) => at === position).map(([run]) => run)
    const step = workflow.steps[position]
    const outcomes = step && (await executeStep({ scope, runContext, evaluation, step, position, dueAt }, runs))
    for (const run of runs) {
      const outcome = outcomes?.get(run.id) ?? 'end'
      if (outcome === 'next') {
        positions.set(run, position + 1)
        continue
      }
      positions.delete(run)
      if (outcome === 'later') later.push(run.id)
      moves.push({ id: run.id, status: statusAfter[outcome], position })
    }
  }
  await moveRuns(scope, moves, now())
  if (!given) await recordEvaluation(scope, workflow, permit, evaluation)
  const pause = evaluation.pause()
  const availableAt = new Date(now().getTime() + pause)
  await enqueue(scope, advanceJobs(later, { dueAt, digestWorkflowId, ...(pause > 0 && { availableAt }) }))
}

interface Move {
  readonly id: string
  readonly status: RunStatus
  readonly position: number
}

/** The status of a run that does not continue with the next step. */
const statusAfter = { wait: 'waiting', end: 'completed', later: 'running' } as const satisfies Record<string, RunStatus>

/** Jobs for some of a job's runs, which are left to do. */
export const restOf = ({ data, dueAt, digestWorkflowId }: Job<'advance'>, runIds: readonly string[]): NewJob[] =>
  advanceJobs(runIds, { position: data.due, closesDigestOf: data.closesDigestOf, dueAt, digestWorkflowId })

/** Milliseconds after which a digest looks again whether it may close. */
const DIGEST_PAUSE = 100

/**
 * Executes a job that advances runs.
 *
 * @param take the number of runs to advance now. The others become a new job.
 * @returns the number of runs advanced.
 */
export async function advance(scope: EnvironmentScope, job: Job<'advance'>, take: number): Promise<number> {
  const { runIds, due, closesDigestOf } = job.data
  const { dueAt, digestWorkflowId } = job
  if (due !== undefined && closesDigestOf !== undefined) {
    // An event that was accepted in the digest's time belongs to it, even if its jobs wait behind others.
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
  await advanceRuns(scope, { runIds: runIds.slice(0, take), due, dueAt, digestWorkflowId })
  await enqueue(scope, restOf(job, runIds.slice(take)))
  return Math.min(runIds.length, take)
}

/** The position from which each run continues. Omits runs whose wait is not over. */
async function startingPositions(
  scope: EnvironmentScope,
  held: readonly HeldRun[],
  due: number | undefined,
): Promise<Map<HeldRun, number>> {
  const waiting = held.filter(({ status }) => status === 'waiting').map(({ id }) => id)
  const over = due === undefined ? new Set<string>() : await endWait(scope, waiting, due, scope.now())
  const stillWaiting = await waitingRuns(scope, waiting)
  return new Map(
    held
      .filter(({ id }) => !stillWaiting.has(id))
      .map((run) => [run, over.has(run.id) ? run.position + 1 : run.position]),
  )
}

/**
 * Ends new runs that no topic subscription admits: each step is skipped with the reason `topic_preference`, or fails if a
 * condition could not be evaluated.
 *
 * @returns the ids of the runs that are decided later. They are no longer in `positions`.
 */
async function skipUnsubscribed(
  context: Omit<StepContext, 'step' | 'position'>,
  positions: Map<HeldRun, number>,
): Promise<string[]> {
  const { scope, runContext, evaluation } = context
  const fresh = [...positions].filter(([, position]) => position === 0).map(([run]) => run)
  const recipients = await Promise.all(
    fresh.map(async (run) => {
      const subscriber = await subscriberOfRun(scope, run)
      const { subscriberId, subscriberRowId } = run
      return { subscriberId, subscriberRowId, variables: variablesFor(runContext, subscriber) }
    }),
  )
  const exclusions = await exclusionsOf(scope, evaluation, runContext, recipients)
  const { steps } = runContext.workflow
  const later: string[] = []
  const rows: StepRunRow[] = []
  for (const [index, run] of fresh.entries()) {
    const exclusion = exclusions[index]
    if (exclusion === undefined) continue
    if (exclusion === 'later') {
      later.push(run.id)
      positions.delete(run)
      continue
    }
    const status = exclusion.reason === 'topic_preference' ? 'skipped' : 'failed'
    const result = { status, detail: reasons[exclusion.reason], ...exclusion } as const
    rows.push(...steps.map((step, position) => stepRunRow({ ...context, step, position }, run, result)))
    positions.set(run, steps.length)
  }
  await insertStepRuns(scope, rows, scope.now())
  return later
}
