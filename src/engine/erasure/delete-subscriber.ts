// Deletes a subscriber. Its runs stay in the execution log; a job cancels them and erases the subscriber's data from
// them.
import { z } from 'zod'
import { enqueue, type Job, type RunErasure } from '../../data/queue/job.ts'
import type { Subscriber } from '../../data/subscriber.ts'
import { eraseRunsById, holdRunsOfSubscriber } from '../../data/erasure/run-erasure.ts'
import { cancelRunsById } from '../../data/run-end.ts'
import type { Content } from '../../domain/channel/content.ts'
import { recordWebhookMessages } from '../../domain/outbox/webhook-message.ts'
import { referenceOf } from '../../domain/resolver/reference.ts'
import { mutation } from '../../domain/resolver/resolver.ts'
import type { EnvironmentScope, Scope } from '../../domain/resolver/scope.ts'
import { subscriberReference } from '../../domain/subscriber-id.ts'
import { requireSubscriber, subscriberNotFound } from '../../domain/subscriber.ts'
import type { Target } from '../../domain/execution/target.ts'
import { stepReasons } from '../../domain/trigger/step-reason.ts'

const target: Target = { kind: 'deleted' }
const content: Content = { subject: null, body: '' }
const detail = stepReasons.subscriber_deleted

/**
 * Deletes a subscriber's row, with everything that belongs to the subscriber. @returns false if it was deleted
 * meanwhile.
 */
export async function removeSubscriber({ db, environmentId }: Scope, { id }: Pick<Subscriber, 'id'>): Promise<boolean> {
  // Waits for transactions that create or advance its runs, so that the job finds all of them.
  const { count } = await db.subscriber.deleteMany({ where: { environmentId, id } })
  return count > 0
}

/** Records webhook messages about deleted subscribers. */
export const tellDeleted = (scope: Scope, deleted: readonly Pick<Subscriber, 'subscriberId'>[]): Promise<void> =>
  recordWebhookMessages(scope, 'subscriber.deleted', () =>
    deleted.map(({ subscriberId }) => ({ data: { subscriberId } })),
  )

/** Cancels the unfinished runs among these, and erases addresses, texts and responses of providers from all of them. */
export async function eraseRunsOfDeleted(scope: EnvironmentScope, ids: readonly string[]): Promise<void> {
  await cancelRunsById(scope, ids, { error: detail, reason: 'subscriber_deleted', detail }, scope.now())
  await eraseRunsById(scope, ids, { target, content, detail })
}

/**
 * Deletes a subscriber with its endpoints, credentials, subscriptions, preferences and feed. From then on, its runs do
 * not continue and nothing is sent for them, because both check the row id of their subscriber.
 */
export const deleteSubscriber = mutation({
  name: 'subscriber.delete',
  permission: 'subscriber:write',
  input: z.object(subscriberReference),
  async run(scope, { subscriberId, id }) {
    const named = referenceOf({ subscriberId }, { id })
    const found = await requireSubscriber(scope, named)
    if (!(await removeSubscriber(scope, found))) throw subscriberNotFound(named)
    await tellDeleted(scope, [found])
    await enqueue(scope, [{ queue: 'erase', data: { subscriberId: found.subscriberId, subscriberRowId: found.id } }])
    return found
  },
})

/**
 * Executes a job that erases the runs of a deleted subscriber: cancels the unfinished runs of one page, and erases
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
  const ids = runs.map(({ id }) => id)
  if (ids.length > 0) await eraseRunsOfDeleted(scope, ids)
  const last = ids.length === take ? runs.at(-1) : undefined
  if (last !== undefined) {
    const after = { createdAt: last.createdAt.toISOString(), id: last.id }
    await enqueue(scope, [{ queue: 'erase', data: { ...data, after }, dueAt }])
  }
  return ids.length
}

/** Milliseconds after which an erasure starts again once all its attempts have failed. */
const PAUSE = 3_600_000

/** Erases runs later. Unlike other jobs, an erasure is never given up, because nobody could start it again. */
export async function postponeErasure(scope: EnvironmentScope, { data, dueAt }: Job<'erase'>): Promise<void> {
  const availableAt = new Date(scope.now().getTime() + PAUSE)
  await enqueue(scope, [{ queue: 'erase', data, dueAt, availableAt }])
}
