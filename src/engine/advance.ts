// Advances runs: executes their steps, many runs of one event at a time, until each run waits or ends.
import type { RunStatus } from '../data/prisma/enums.ts'
import { cancelRuns, type HeldRun, holdRuns, moveRuns } from '../data/run.ts'
import { endWait, insertStepRuns, waitingRuns } from '../data/step-run.ts'
import type { EnvironmentScope } from '../domain/scope.ts'
import { isAdmitted } from './admission.ts'
import { reasons } from './decision.ts'
import { openRunContext, type RunContext, variablesFor } from './run-context.ts'
import { executeStep, stepRunRow, subscriberOfRun } from './step.ts'

export interface Advance {
  /** The runs, all of the same event. */
  readonly runIds: readonly string[]
  /** The position of the step whose wait is over. Undefined if the runs do not continue after a wait. */
  readonly due?: number | undefined
}

/**
 * Advances runs to their next wait or to their end, in the caller's transaction. Idempotent: a run that has ended or
 * waits for something else is not changed.
 */
export async function advanceRuns(scope: EnvironmentScope, { runIds, due }: Advance): Promise<void> {
  const held = await holdRuns(scope, runIds)
  const [first] = held
  if (first === undefined) return
  const { db, environmentId, now } = scope
  const event = await db.event.findUniqueOrThrow({
    where: { environmentId_id: { environmentId, id: first.eventId } },
  })
  if (event.cancelledAt !== null) return cancelRuns(scope, event.id, now())
  const runContext = await openRunContext(scope, event)
  const positions = await startingPositions(scope, held, due)
  await skipUnsubscribed(scope, runContext, positions)

  const moves: { id: string; status: RunStatus; position: number }[] = []
  while (positions.size > 0) {
    const position = Math.min(...positions.values())
    const runs = [...positions].filter(([, at]) => at === position).map(([run]) => run)
    const step = runContext.workflow.steps[position]
    const outcomes = step && (await executeStep({ scope, runContext, step, position }, runs))
    for (const run of runs) {
      const outcome = outcomes?.get(run.id) ?? 'end'
      if (outcome === 'next') {
        positions.set(run, position + 1)
        continue
      }
      positions.delete(run)
      moves.push({ id: run.id, status: outcome === 'wait' ? 'waiting' : 'completed', position })
    }
  }
  await moveRuns(scope, moves, now())
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

/** Ends new runs that no topic subscription admits: each step is skipped with the reason `topic_preference`. */
async function skipUnsubscribed(
  scope: EnvironmentScope,
  runContext: RunContext,
  positions: Map<HeldRun, number>,
): Promise<void> {
  const fresh = [...positions].filter(([, position]) => position === 0).map(([run]) => run)
  const rejected = await Promise.all(
    fresh.map(async (run) => {
      const subscriber = await subscriberOfRun(scope, run)
      const admitted = await isAdmitted(scope, runContext, run.subscriberId, variablesFor(runContext, subscriber))
      return admitted ? [] : [run]
    }),
  )
  const { steps } = runContext.workflow
  const skipped = { status: 'skipped', reason: 'topic_preference', detail: reasons.topic_preference } as const
  const rows = rejected
    .flat()
    .flatMap((run) => steps.map((step, position) => stepRunRow({ scope, runContext, step, position }, run, skipped)))
  await insertStepRuns(scope, rows, scope.now())
  for (const run of rejected.flat()) positions.set(run, steps.length)
}
