// Retried runs: the steps that they pass over, and those that they execute again.
import type { RetriedSteps } from '../data/repetition.ts'
import type { ActiveRun } from '../data/run.ts'
import type { StepRunRow } from '../data/step-run.ts'
import type { EnvironmentScope } from '../domain/resolver/scope.ts'
import type { Step } from '../domain/workflow-step.ts'
import type { StatedReason } from './decision/decision.ts'

/** The steps of retried runs, by run id. Other runs are not part of it. */
export type RetriedRuns = ReadonlyMap<string, RetriedSteps>

interface Place {
  readonly retried?: RetriedRuns | undefined
  readonly position: number
}

/**
 * What a retried run does after a step that it passes over: it ended in a digest that it joined, and it may have begun to
 * wait. Undefined if the step is executed.
 */
export function passedOver({ retried, position }: Place, { id }: ActiveRun): 'next' | 'wait' | 'end' | undefined {
  const status = retried?.get(id)?.kept.get(position)
  if (status === undefined) return undefined
  if (status === 'merged') return 'end'
  return status === 'waiting' ? 'wait' : 'next'
}

/** The steps that a run executes, with their positions. */
export function openSteps(
  retried: RetriedRuns | undefined,
  run: ActiveRun,
  steps: readonly Step[],
): readonly { readonly step: Step; readonly position: number }[] {
  const all = steps.map((step, position) => ({ step, position }))
  const end = all.findIndex(({ position }) => passedOver({ retried, position }, run) === 'end')
  const reached = end === -1 ? all : all.slice(0, end)
  return reached.filter(({ position }) => passedOver({ retried, position }, run) === undefined)
}

/** The database row of a step in one run. A step that is repeated keeps its row. */
export function stepRunRow(
  { scope, step, ...place }: Place & { readonly scope: EnvironmentScope; readonly step: Step },
  run: ActiveRun,
  result: Pick<StepRunRow, 'status' | 'dueAt'> & StatedReason,
): StepRunRow {
  const { position, retried } = place
  const repeated = retried?.get(run.id)?.repeated.get(position)
  const { stepId, type } = step
  const row = { id: repeated ?? scope.newId(), runId: run.id, position, stepId, type, ...result }
  return repeated === undefined ? row : { ...row, isRepeated: true }
}
