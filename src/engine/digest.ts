// Digests: triggers of one workflow that come close together reach a subscriber as one.
import { createHash } from 'node:crypto'
import { holdDigests, insertStepRuns, type StepRunRow } from '../data/step-run.ts'
import type { EnvironmentScope } from '../domain/scope.ts'
import type { Step } from '../domain/workflow-step.ts'
import type { RunContext } from './run-context.ts'

type DigestStep = Extract<Step, { type: 'digest' }>

/** A run that has come to a digest, and the row that it would wait by. */
interface Joining {
  readonly subscriberId: string
  readonly row: StepRunRow
}

/** Times that a digest may end between finding it open and joining it. */
const TRIES = 10

function valueAt(payload: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? Reflect.get(value, name)
          : undefined,
      payload,
    )
}

/** Equal for what is gathered together: the same step, subscriber, contexts and value of the step's key. */
function digestKeyOf(
  { event, workflow, variables }: RunContext,
  { stepId, key }: DigestStep,
  subscriberId: string,
): string {
  const value = key ? valueAt(variables['payload'], key) : undefined
  const parts = [workflow.id, stepId, subscriberId, event.contextKeys, value ?? null]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/**
 * Has each run wait in a digest of its own, or end in the one that waits already.
 *
 * @returns the ids of the runs that wait.
 */
export async function joinDigests(
  scope: EnvironmentScope,
  runContext: RunContext,
  step: DigestStep,
  joining: readonly Joining[],
): Promise<ReadonlySet<string>> {
  const opened = new Set<string>()
  let left = joining.map(({ subscriberId, row }) => ({
    ...row,
    digestKey: digestKeyOf(runContext, step, subscriberId),
  }))
  for (let tries = 0; left.length > 0; tries++) {
    if (tries === TRIES) throw new Error('a digest ended each time that a run was to join it')
    const inserted = await insertStepRuns(scope, left, scope.now())
    for (const row of left) if (inserted.has(row.id)) opened.add(row.runId)
    left = left.filter(({ id }) => !inserted.has(id))
    const open = await holdDigests(
      scope,
      left.map(({ digestKey }) => digestKey),
    )
    const merged = left.flatMap((row): StepRunRow[] => {
      const mergedIntoId = open.get(row.digestKey)
      return mergedIntoId === undefined
        ? []
        : [{ ...row, status: 'merged', dueAt: null, digestKey: null, mergedIntoId }]
    })
    await insertStepRuns(scope, merged, scope.now())
    left = left.filter(({ digestKey }) => !open.has(digestKey))
  }
  return opened
}
