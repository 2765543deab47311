// Retries all failed messages that match a filter, in portions.
import { z } from 'zod'
import { countRetriable, findRetriable, type FailurePlace, reopenDeliveries } from '../data/failure.ts'
import { deliverJob, enqueue, priorities } from '../data/queue/job.ts'
import { audit } from '../domain/resolver/audit.ts'
import { failureFilter, storedFilter } from '../domain/execution/failure.ts'
import { unwrappedMutation } from '../domain/resolver/resolver.ts'
import type { Scope } from '../domain/resolver/scope.ts'
import { refuse } from '../lib/errors.ts'
import { time } from '../lib/page.ts'
import { deadlineJobs } from './expiry.ts'

/** Messages to write in one transaction. */
const PORTION = 500
/** Maximum messages that one call retries. */
export const MAX_RETRIED = 5_000
/** Maximum messages that a dry run counts. */
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
  /**
   * The number of messages that are pending again. In a dry run, the number of matching messages, at most
   * `MAX_MATCHED`.
   */
  readonly retried: number
  /** The `after` of the next call. Null after the last messages. */
  readonly next: string | null
}

/** Makes failed messages pending again, and enqueues them behind messages that someone is waiting for. */
const retryPortion = (scope: Scope, ids: readonly string[]): Promise<number> =>
  scope.transaction(async (inner) => {
    const retried = await reopenDeliveries(inner, ids, inner.now())
    const priority = priorities.fanOut
    const jobs = retried.map((delivery) => deliverJob(delivery, { priority }))
    await enqueue(inner, [...jobs, ...deadlineJobs(retried, priority)])
    return retried.length
  })

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
    if (dryRun === true) return { retried: await countRetriable(scope, stored, MAX_MATCHED, scope.now()), next: null }
    let last = after ? placeOf(after) : undefined
    let retried = 0
    for (let met = 0; met < MAX_RETRIED; met += PORTION) {
      const found = await findRetriable(scope, stored, { after: last, take: PORTION }, scope.now())
      if (found.length > 0)
        retried += await retryPortion(
          scope,
          found.map(({ id }) => id),
        )
      last = found.length < PORTION ? undefined : found.at(-1)
      if (last === undefined) break
    }
    if (retried > 0) audit(scope, 'messages retried', { environmentId: scope.environmentId, filter, retried })
    return { retried, next: last === undefined ? null : textOf(last) }
  },
})
