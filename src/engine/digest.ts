// Digests: collect the triggers that reach a subscriber within the digest's time into one run.
import { createHash } from 'node:crypto'
import { holdDigests, insertStepRuns, type StepRunRow } from '../data/step-run.ts'
import type { EnvironmentScope } from '../domain/resolver/scope.ts'
import type { StepOf } from '../domain/workflow-step.ts'
import { valueAt } from '../lib/paths.ts'
import type { RunContext } from './decision/run-context.ts'

type DigestStep = StepOf<'digest'>

/** A run that has reached a digest, and the row to insert if it opens one. */
interface Joining {
  readonly subscriberRowId: string
  readonly row: StepRunRow
}

/** The digest to join may close between the insert and the lock, in which case the run tries again. */
const MAX_JOIN_ATTEMPTS = 10

/**
 * The identity of a digest: workflow, step, subscriber, contexts, and the payload's value at the step's key. A secret value counts
 * as its mask: a hash of a short value would reveal it.
 */
function digestKeyOf({ event, workflow }: RunContext, { stepId, key }: DigestStep, subscriberRowId: string): string {
  const value = key ? valueAt(event.payload, key.split('.')) : undefined
  const parts = [workflow.id, stepId, subscriberRowId, event.contextKeys, value ?? null]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/**
 * Makes each run open a digest, or merges it into the one that is already open for the same key.
 *
 * @returns the ids of the runs that opened a digest.
 */
export async function joinDigests(
  scope: EnvironmentScope,
  runContext: RunContext,
  step: DigestStep,
  joining: readonly Joining[],
): Promise<ReadonlySet<string>> {
  const opened = new Set<string>()
  let left = joining.map(({ subscriberRowId, row }) => ({
    ...row,
    digestKey: digestKeyOf(runContext, step, subscriberRowId),
  }))
  for (let attempt = 0; left.length > 0; attempt++) {
    if (attempt === MAX_JOIN_ATTEMPTS) throw new Error(`could not join a digest in ${MAX_JOIN_ATTEMPTS} attempts`)
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
