// Retries runs that have ended: repeats the steps that were not sent for a reason that may be gone.
import { z } from 'zod'
import { holdEvents } from '../data/event.ts'
import { reopenDeliveries } from '../data/failure.ts'
import { advanceJobs, deliverJob, enqueue, type NewJob, type Priority } from '../data/queue/job.ts'
import { failedMessages, replaceDeliveries, restartRuns, waitTimes } from '../data/repetition.ts'
import {
  type EndedRun,
  endedRunsById,
  type EndedRuns,
  holdEndedRuns,
  type RunPlace,
  type RunRetryFilter,
  selectsFailedRuns,
} from '../data/run-retry.ts'
import { query } from '../domain/resolver/resolver.ts'
import type { EnvironmentScope } from '../domain/resolver/scope.ts'
import {
  storeVersions,
  type VersionedWorkflow,
  versionsOf,
  type RetriedVersion,
  workflowVersions,
} from '../domain/trigger/current-workflow.ts'
import { digestAhead } from '../domain/trigger/triggered-workflow.ts'
import { groupBy } from '../lib/group-by.ts'
import { deadlineJobs } from './expiry.ts'
import { type Repetition, repetitionOf } from './repetition.ts'

/** What to repeat of runs. */
export interface RetrySelection {
  readonly filter: RunRetryFilter
  readonly version: RetriedVersion
}

/** A run to repeat, and the workflow that it executes. */
type Retried = EndedRun & Repetition & VersionedWorkflow

/** Decides what to repeat of runs. Leaves out those with nothing to repeat, and those without a current workflow. */
async function repeatable<Run extends EndedRun>(
  scope: EnvironmentScope,
  runs: readonly Run[],
  { filter, version }: RetrySelection,
): Promise<readonly (Run & Retried)[]> {
  const versions = await versionsOf(scope, runs, version)
  const continuesFailed = selectsFailedRuns(filter)
  return runs.flatMap((run) => {
    const versioned = versions.get(run.snapshotHash)
    if (versioned === undefined || typeof versioned === 'string') return []
    const { workflow } = versioned
    const repetition = repetitionOf(run, { workflow, version, continuesFailed, now: scope.now() })
    return repetition ? [{ ...run, ...repetition, ...versioned }] : []
  })
}

/** Counts the runs that a retry would repeat. */
export async function countRepeatable(
  scope: EnvironmentScope,
  groups: readonly EndedRuns[],
  selection: RetrySelection,
): Promise<number> {
  const found = await repeatable(scope, groups, selection)
  return found.reduce((sum, { count }) => sum + count, 0)
}

/** The jobs that continue runs, together as far as they have the same event, workflow and wait. */
function continuations(retried: readonly Retried[], dueTimes: ReadonlyMap<string, Date>, priority: Priority): NewJob[] {
  const groups = groupBy(retried, ({ id, eventId, storedHash, from, waitsAt }) =>
    [eventId, storedHash, from, waitsAt, dueTimes.get(id)?.getTime()].join(' '),
  )
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first?.from === undefined) return []
    const dueAt = dueTimes.get(first.id)
    const timing = first.waitsAt !== undefined && dueAt ? { position: first.waitsAt, dueAt } : {}
    const digestWorkflowId = digestAhead(first.workflow, first.from)
    return advanceJobs(
      group.map(({ id }) => id),
      { ...timing, digestWorkflowId, priority },
    )
  })
}

const placesOf = (retried: readonly Retried[], positions: 'executed' | 'resent') =>
  retried.flatMap((run) => run[positions].map((position) => ({ runId: run.id, position })))

/**
 * Repeats steps of runs, in the caller's transaction. Runs that have not ended, or of which nothing can be repeated, are not
 * changed.
 *
 * @returns the number of the others.
 */
export async function retryRuns(
  scope: EnvironmentScope,
  places: readonly RunPlace[],
  selection: RetrySelection,
  priority: Priority,
): Promise<number> {
  const now = scope.now()
  await holdEvents(scope, [...new Set(places.map(({ eventId }) => eventId))])
  const held = await holdEndedRuns(
    scope,
    places.map(({ id }) => id),
    selection.filter,
  )
  const retried = await repeatable(scope, held, selection)
  const reopened = await reopenDeliveries(scope, await failedMessages(scope, placesOf(retried, 'resent')), now)
  await replaceDeliveries(scope, await failedMessages(scope, placesOf(retried, 'executed')), now)
  const continued = retried.flatMap((run) => (run.from === undefined ? [] : [{ ...run, from: run.from }]))
  await storeVersions(scope, continued)
  await restartRuns(
    scope,
    continued.map(({ id, from: position, waitsAt, storedHash, isNew }) => {
      const status = waitsAt === undefined ? 'running' : 'waiting'
      return { id, status, position, snapshotHash: storedHash, isNew }
    }),
    placesOf(continued, 'executed'),
    now,
  )
  const dueTimes = await waitTimes(
    scope,
    continued.flatMap(({ id, waitsAt }) => (waitsAt === undefined ? [] : [id])),
  )
  await enqueue(scope, [
    ...reopened.map((delivery) => deliverJob(delivery, { priority })),
    ...deadlineJobs(reopened, priority),
    ...continuations(continued, dueTimes, priority),
  ])
  return retried.length
}

/** True if a run can be retried with a version of its workflow. Batched. */
export const isRetriable = query({
  name: 'workflowRun.isRetriable',
  permission: 'event:read',
  input: z.object({ id: z.uuid(), workflowVersion: z.enum(workflowVersions).nullish() }),
  async run(scope, { id, workflowVersion }) {
    const run = await scope.load(endedRunsById, id)
    const version = workflowVersion ?? 'triggered'
    const found = run ? await repeatable(scope, [run], { filter: {}, version }) : []
    return found.length > 0
  },
})
