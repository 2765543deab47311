// Retries all failed messages, or all runs, that match a filter, in portions.
import { z } from 'zod'
import { countRetriable, findRetriable, type FailurePlace, reopenDeliveries } from '../data/failure.ts'
import { deliverJob, enqueue, priorities } from '../data/queue/job.ts'
import { countRetriableRuns, findRetriableRuns } from '../data/run-retry.ts'
import { audit } from '../domain/resolver/audit.ts'
import { failureFilter, storedFilter } from '../domain/execution/failure.ts'
import { runRetryFilter, storedRetryFilter } from '../domain/execution/run-retry.ts'
import { unwrappedMutation } from '../domain/resolver/resolver.ts'
import type { Scope } from '../domain/resolver/scope.ts'
import { workflowVersions } from '../domain/trigger/current-workflow.ts'
import { refuse } from '../lib/errors.ts'
import { time } from '../lib/page.ts'
import { deadlineJobs } from './expiry.ts'
import { countRepeatable, retryRuns } from './retry-runs.ts'

/** Messages or runs to write in one transaction. */
const PORTION = 500
/** Maximum messages or runs that one call retries. */
export const MAX_RETRIED = 5_000
/** Maximum messages or runs that a dry run counts. */
export const MAX_MATCHED = 100_000

const place = z.object({ createdAt: z.coerce.date().pipe(time), id: z.uuid() })

const textOf = ({ createdAt, id }: FailurePlace) => `${createdAt.toISOString()}_${id}`

/** @throws Refusal `INVALID` if it is not the `next` of an earlier call. */
function placeOf(after: string): FailurePlace {
  const [createdAt, id] = after.split('_')
  const { data } = place.safeParse({ createdAt, id })
  if (data === undefined) throw refuse('INVALID', 'after must be the `next` of an earlier call', 'after', after)
  return data
}

export interface RetriedAll {
  /** The number of messages or runs that are pending again. In a dry run, the number of those that would be. */
  readonly retried: number
  /** The `after` of the next call. Null after the last ones. */
  readonly next: string | null
  /** The number of matching messages or runs behind this call, counted up to `MAX_MATCHED`. In a dry run, all that match. */
  readonly remaining: number
}

/** Makes failed messages pending again, and enqueues them behind messages that someone is waiting for. */
const retryPortion = (scope: Scope, found: readonly FailurePlace[]): Promise<number> =>
  scope.transaction(async (inner) => {
    const ids = found.map(({ id }) => id)
    const retried = await reopenDeliveries(inner, ids, inner.now())
    const priority = priorities.fanOut
    const jobs = retried.map((delivery) => deliverJob(delivery, { priority }))
    await enqueue(inner, [...jobs, ...deadlineJobs(retried, priority)])
    return retried.length
  })

/** How a bulk retry finds, retries and counts. */
interface BulkRetry<Found, Place> {
  /** Finds the next portion behind a place, or the first one. */
  readonly find: (last: Place | undefined) => Promise<readonly Found[]>
  readonly placeOf: (found: Found) => Place
  /** The place as the `after` of the next call. */
  readonly cursorOf: (last: Place) => string
  /** Retries a portion in one transaction, and returns how many were retried. */
  readonly retry: (found: readonly Found[]) => Promise<number>
  /** Counts what is behind a place, or all, up to `MAX_MATCHED`. */
  readonly count: (last: Place | undefined) => Promise<number>
}

/** Retries at most `MAX_RETRIED` in portions, or only counts. @param after the place at which the last call ended. */
async function retryEach<Found, Place>(
  after: Place | undefined,
  dryRun: boolean | null | undefined,
  { find, placeOf, cursorOf, retry, count }: BulkRetry<Found, Place>,
): Promise<RetriedAll> {
  let last = after
  if (dryRun === true) {
    const matched = await count(last)
    return { retried: matched, next: null, remaining: matched }
  }
  let retried = 0
  for (let met = 0; met < MAX_RETRIED; met += PORTION) {
    const found = await find(last)
    if (found.length > 0) retried += await retry(found)
    const end = found.at(-1)
    if (found.length < PORTION || end === undefined) return { retried, next: null, remaining: 0 }
    last = placeOf(end)
  }
  return { retried, next: last === undefined ? null : cursorOf(last), remaining: await count(last) }
}

/**
 * Sends failed messages that match a filter again, oldest first and at most `MAX_RETRIED`, each with a new count of
 * attempts and a new time limit. Leaves out messages that have expired, whose
 * subscriber was deleted or whose event was cancelled. If another call has already
 * made a message pending, it is not sent twice. Calls that continue with `next` skip messages that have failed again.
 */
export const retryDeliveries = unwrappedMutation({
  name: 'delivery.retryAll',
  permission: 'event:write',
  rate: { category: 'trigger', cost: 100 },
  input: z.object({
    filter: failureFilter,
    dryRun: z.boolean().nullish(),
    after: z.string().max(100).nullish(),
  }),
  async run(scope, { filter, dryRun, after }): Promise<RetriedAll> {
    const stored = storedFilter(filter)
    const all = await retryEach(after ? placeOf(after) : undefined, dryRun, {
      find: (last: FailurePlace | undefined) =>
        findRetriable(scope, stored, { after: last, take: PORTION }, scope.now()),
      placeOf: (found) => found,
      cursorOf: textOf,
      retry: (found) => retryPortion(scope, found),
      count: (last) => countRetriable(scope, stored, { after: last, take: MAX_MATCHED }, scope.now()),
    })
    const { retried } = all
    if (dryRun !== true && retried > 0) {
      audit(scope, 'messages retried', { environmentId: scope.environmentId, filter, retried })
    }
    return all
  },
})

/**
 * Repeats, in runs that match a filter and have ended, the steps that were not sent for a reason that may be gone, in order
 * of the runs and in at most `MAX_RETRIED` runs. Messages that failed get a new count of attempts and a new time limit.
 * What was sent is not sent again, even if calls overlap.
 */
export const retryWorkflowRuns = unwrappedMutation({
  name: 'workflowRun.retryAll',
  permission: 'event:write',
  rate: { category: 'trigger', cost: 100 },
  input: z.object({
    filter: runRetryFilter,
    workflowVersion: z.enum(workflowVersions).nullish(),
    dryRun: z.boolean().nullish(),
    after: z.uuid({ error: 'after must be the `next` of an earlier call' }).nullish(),
  }),
  async run(scope, { filter, workflowVersion, dryRun, after }): Promise<RetriedAll> {
    const version = workflowVersion ?? 'triggered'
    const selection = { filter: storedRetryFilter(filter), version }
    const all = await retryEach(after ?? undefined, dryRun, {
      find: (last: string | undefined) => findRetriableRuns(scope, selection.filter, { after: last, take: PORTION }),
      placeOf: ({ id }) => id,
      cursorOf: (last) => last,
      retry: (found) => scope.transaction((inner) => retryRuns(inner, found, selection, priorities.fanOut)),
      async count(last) {
        const groups = await countRetriableRuns(scope, selection.filter, { after: last, take: MAX_MATCHED })
        return countRepeatable(scope, groups, selection)
      },
    })
    const { retried } = all
    if (dryRun !== true && retried > 0) {
      audit(scope, 'runs retried', { environmentId: scope.environmentId, filter, version, retried })
    }
    return all
  },
})
