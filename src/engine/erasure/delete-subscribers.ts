// Deletes all subscribers that match a filter.
import { z } from 'zod'
import { lockSubscribers } from '../../data/lock.ts'
import { enqueue } from '../../data/queue/job.ts'
import { type Subscriber, subscriberPages } from '../../data/subscriber.ts'
import { audit } from '../../domain/resolver/audit.ts'
import { assertCondition, type DeletedAll, deleteMatching, dryRun } from '../../domain/resolver/deletion.ts'
import { unwrappedMutation } from '../../domain/resolver/resolver.ts'
import type { Scope } from '../../domain/resolver/scope.ts'
import { subscriberFilter } from '../../domain/subscriber.ts'
import { tellDeleted } from './delete-subscriber.ts'

/** Deletes subscribers as `deleteSubscriber` does. @returns their number, without those that were deleted meanwhile. */
async function remove(scope: Scope, rows: readonly Subscriber[]): Promise<number> {
  const { db, environmentId } = scope
  const present = await lockSubscribers(
    scope,
    rows.map(({ subscriberId }) => subscriberId),
    'delete',
  )
  const found = rows.filter(({ subscriberId }) => present.has(subscriberId))
  const { count } = await db.subscriber.deleteMany({ where: { environmentId, id: { in: found.map(({ id }) => id) } } })
  await tellDeleted(scope, found)
  await enqueue(
    scope,
    found.map(({ subscriberId, id }) => ({ queue: 'erase', data: { subscriberId, subscriberRowId: id } })),
  )
  return count
}

/** Deletes matching subscribers, oldest first and at most `MAX_DELETED`. The same call continues. */
export const deleteSubscribers = unwrappedMutation({
  name: 'subscriber.deleteAll',
  permission: 'subscriber:write',
  rate: { category: 'configuration', cost: 100 },
  input: z.object({ filter: subscriberFilter, dryRun }),
  async run(scope, { filter, dryRun }): Promise<DeletedAll> {
    assertCondition(filter)
    const all = await deleteMatching(scope, dryRun, {
      find: ({ load, environmentId }, first) =>
        load(subscriberPages, {
          parent: environmentId,
          orderBy: { field: 'createdAt', direction: 'asc' },
          page: { first },
          filter,
        }),
      remove,
    })
    if (dryRun !== true && all.deleted > 0) {
      audit(scope, 'subscribers deleted', { environmentId: scope.environmentId, deleted: all.deleted })
    }
    return all
  },
})
