// Taking runs further: step by step, many of one event at a time, to where each of them waits or ends.
import type { RunStatus } from '../data/prisma/enums.ts'
import { cancelRuns, type HeldRun, holdRuns, moveRuns } from '../data/run.ts'
import { endWait, insertStepRuns, waitingRuns } from '../data/step-run.ts'
import type { EnvironmentScope } from '../domain/scope.ts'
import { isAdmitted } from './admission.ts'
import { reasons } from './decision.ts'
import { openRunContext, type RunContext, variablesFor } from './run-context.ts'
import { executeStep, stepRun, subscriberOfRun } from './step.ts'

export interface Advance {
  /** Of one event. */
  readonly runIds: readonly string[]
  /** The position of the step whose wait is over. Absent when none is. */
  readonly due?: number | undefined
}

/**
 * Takes runs as far as they go: to a wait, or to their end. In the caller's transaction, which must commit as a whole.
 * Done twice it changes nothing: a run that has ended, or waits for something else, stays where it is.
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
  const places = await startingPlaces(scope, held, due)
  await admit(scope, runContext, places)

  const moves: { id: string; status: RunStatus; position: number }[] = []
  while (places.size > 0) {
    const position = Math.min(...places.values())
    const here = [...places].filter(([, place]) => place === position).map(([run]) => run)
    const step = runContext.workflow.steps[position]
    const onward = step && (await executeStep(scope, runContext, step, position, here))
    for (const run of here) {
      const next = onward?.get(run.id) ?? 'end'
      if (next === 'next') {
        places.set(run, position + 1)
        continue
      }
      places.delete(run)
      moves.push({ id: run.id, status: next === 'wait' ? 'waiting' : 'completed', position })
    }
  }
  await moveRuns(scope, moves, now())
}

/** The position from which each run goes on. Runs that wait for what is not over are in none. */
async function startingPlaces(
  scope: EnvironmentScope,
  held: readonly HeldRun[],
  due: number | undefined,
): Promise<Map<HeldRun, number>> {
  const waiting = held.filter(({ status }) => status === 'waiting').map(({ id }) => id)
  const over = due === undefined ? new Set<string>() : await endWait(scope, waiting, due, scope.now())
  const bound = await waitingRuns(scope, waiting)
  return new Map(
    held.filter(({ id }) => !bound.has(id)).map((run) => [run, over.has(run.id) ? run.position + 1 : run.position]),
  )
}

/** Ends the runs whose topic subscription does not want the workflow, each step with the reason. */
async function admit(scope: EnvironmentScope, runContext: RunContext, places: Map<HeldRun, number>): Promise<void> {
  const fresh = [...places].filter(([, position]) => position === 0).map(([run]) => run)
  const refused = await Promise.all(
    fresh.map(async (run) => {
      const subscriber = await subscriberOfRun(scope, run)
      const admitted = await isAdmitted(scope, runContext, run.subscriberId, variablesFor(runContext, subscriber))
      return admitted ? [] : [run]
    }),
  )
  const { steps } = runContext.workflow
  const rows = refused.flat().flatMap((run) =>
    steps.map((step, position) =>
      stepRun(scope, run, step, position, {
        status: 'skipped',
        reason: 'topic_preference',
        detail: reasons.topic_preference,
      }),
    ),
  )
  await insertStepRuns(scope, rows, scope.now())
  for (const run of refused.flat()) places.set(run, steps.length)
}
