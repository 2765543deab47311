// Deletes a subscriber. Its runs stay in the execution log: a job cancels them and erases what they say about it.
import { z } from 'zod'
import { enqueue, type Job, type RunErasure } from '../../data/queue/job.ts'
import type { Subscriber } from '../../data/subscriber.ts'
import { eraseRunsById, holdRunsOfSubscriber } from '../../data/erasure/run-erasure.ts'
import { cancelRunsById } from '../../data/run-end.ts'
import type { Content } from '../../domain/channel/content.ts'
import { mutation } from '../../domain/resolver/resolver.ts'
import type { EnvironmentScope, Scope } from '../../domain/resolver/scope.ts'
import { subscriberId } from '../../domain/subscriber-id.ts'
import { requireSubscriber, subscriberNotFound } from '../../domain/subscriber.ts'
import type { Target } from '../../domain/execution/target.ts'
import { reasons } from '../decision.ts'

const target: Target = { kind: 'deleted' }
const content: Content = { subject: null, body: '' }
const detail = reasons.subscriber_deleted

/** Deletes the row of a subscriber, and with it all that belongs to it. @returns false if it was deleted meanwhile. */
export async function removeSubscriber({ db, environmentId }: Scope, { id }: Pick<Subscriber, 'id'>): Promise<boolean> {
  // Waits for the transactions that create or advance its runs: the job finds all of them.
  const { count } = await db.subscriber.deleteMany({ where: { environmentId, id } })
  return count > 0
}

/** Cancels those of these runs that have not ended, and erases addresses, texts and responses of providers from all. */
export async function eraseRunsOfDeleted(scope: EnvironmentScope, ids: readonly string[]): Promise<void> {
  await cancelRunsById(scope, ids, { error: detail, reason: 'subscriber_deleted', detail }, scope.now())
  await eraseRunsById(scope, ids, { target, content, detail })
}

/**
 * Deletes a subscriber with its endpoints, credentials, subscriptions, preferences and feed. From then on its runs are not
 * continued and nothing is sent for them, because both compare the row id of their subscriber.
 */
export const deleteSubscriber = mutation({
  name: 'subscriber.delete',
  permission: 'subscriber:write',
  input: z.object({ subscriberId }),
  async run(scope, { subscriberId }) {
    const found = await requireSubscriber(scope, subscriberId)
    if (!(await removeSubscriber(scope, found))) throw subscriberNotFound(subscriberId)
    await enqueue(scope, [{ queue: 'erase', data: { subscriberId, subscriberRowId: found.id } }])
    return found
  },
})

/**
 * Executes a job that erases the runs of a deleted subscriber: cancels those of one page that have not ended, and erases
 * addresses, texts and responses of providers. The next page becomes a new job.
 *
 * @param take the number of runs in the page.
 * @returns the number of runs erased.
 */
export async function eraseRuns(
  scope: EnvironmentScope,
  { data, dueAt }: Pick<Job, 'dueAt'> & { readonly data: RunErasure },
  take: number,
): Promise<number> {
  const runs = await holdRunsOfSubscriber(scope, data, take)
  const last = runs.at(-1)
  if (last === undefined) return 0
  const ids = runs.map(({ id }) => id)
  await eraseRunsOfDeleted(scope, ids)
  if (runs.length === take) {
    const after = { createdAt: last.createdAt.toISOString(), id: last.id }
    await enqueue(scope, [{ queue: 'erase', data: { ...data, after }, dueAt }])
  }
  return runs.length
}

/** Milliseconds after which an erasure that failed in every attempt begins again. */
const PAUSE = 3_600_000

/** Erases runs later. Unlike other jobs, an erasure is not given up: nobody could start it again. */
export async function postponeErasure(scope: EnvironmentScope, { data, dueAt }: Job<'erase'>): Promise<void> {
  const availableAt = new Date(scope.now().getTime() + PAUSE)
  await enqueue(scope, [{ queue: 'erase', data, dueAt, availableAt }])
}
