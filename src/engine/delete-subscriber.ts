// Deletes a subscriber: its runs stay in the execution log, without anything of its profile.
import { z } from 'zod'
import { cancelRunsOfSubscriber, eraseRunsOfSubscriber, holdRunsOfSubscriber } from '../data/run.ts'
import type { Content } from '../domain/content.ts'
import { mutation } from '../domain/resolver.ts'
import { requireSubscriber, subscriberId, subscriberNotFound } from '../domain/subscriber.ts'
import type { Target } from '../domain/target.ts'
import { reasons } from './decision.ts'

const target: Target = { kind: 'deleted' }
const content: Content = { subject: null, body: '' }

/**
 * Deletes a subscriber with its endpoints, credentials, subscriptions, preferences and feed. Its unfinished runs are
 * cancelled, and addresses, texts and responses of providers are erased from all of its runs.
 */
export const deleteSubscriber = mutation({
  name: 'subscriber.delete',
  permission: 'subscriber:write',
  input: z.object({ subscriberId }),
  async run(scope, { subscriberId }) {
    const { db, environmentId, now } = scope
    const found = await requireSubscriber(scope, subscriberId)
    // Runs before the subscriber, in the order in which the execution of a run locks them.
    await holdRunsOfSubscriber(scope, found)
    const { count } = await db.subscriber.deleteMany({ where: { environmentId, id: found.id } })
    if (count === 0) throw subscriberNotFound(subscriberId)
    const detail = reasons.subscriber_deleted
    // Also those that were created since: nobody creates another one now.
    await cancelRunsOfSubscriber(scope, found, { reason: 'subscriber_deleted', detail }, now())
    await eraseRunsOfSubscriber(scope, found, { target, content, detail })
    return found
  },
})
