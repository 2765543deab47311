// Deletes all topic subscriptions that match a filter.
import { z } from 'zod'
import { removeSubscriptions, subscriptionPages } from '../data/topic-subscription.ts'
import { audit } from './resolver/audit.ts'
import { assertCondition, type DeletedAll, deleteMatching, dryRun } from './resolver/deletion.ts'
import { unwrappedMutation } from './resolver/resolver.ts'
import { subscriptionFilter } from './topic-subscription.ts'

/** Deletes matching subscriptions, oldest first and at most `MAX_DELETED`. The same call continues. */
export const deleteMatchingTopicSubscriptions = unwrappedMutation({
  name: 'topicSubscription.deleteAll',
  permission: 'topicSubscription:write',
  owner: null,
  rate: { category: 'configuration', cost: 100 },
  input: z.object({ filter: subscriptionFilter, dryRun }),
  async run(scope, { filter, dryRun }): Promise<DeletedAll> {
    assertCondition(filter)
    const all = await deleteMatching(scope, dryRun, {
      find: ({ load, environmentId }, first) =>
        load(subscriptionPages, {
          parent: environmentId,
          orderBy: { field: 'createdAt', direction: 'asc' },
          page: { first },
          filter,
        }),
      remove: (inner, rows) =>
        removeSubscriptions(
          inner,
          rows.map(({ id }) => id),
        ),
    })
    if (dryRun !== true && all.deleted > 0) {
      audit(scope, 'topic subscriptions deleted', { environmentId: scope.environmentId, deleted: all.deleted })
    }
    return all
  },
})
