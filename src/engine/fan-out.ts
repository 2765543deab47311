// Fan-out: creates one run per recipient of an event, one page of recipients at a time.
import type { Event } from '../data/prisma/client.ts'
import { advanceJobs, enqueue, type Work } from '../data/queue.ts'
import { insertRuns } from '../data/run.ts'
import { subscriptionPage } from '../data/topic-subscription.ts'
import type { EnvironmentScope } from '../domain/scope.ts'
import { completeFanOut } from './event-outcome.ts'
import { recipientsOf } from './run-context.ts'

/** Subscriptions per page. Each page is one transaction. */
const PAGE = 500

/** The position of the next page. */
type Place = NonNullable<Work['fan-out']['place']>

/**
 * Creates the runs of one page of recipients: first the subscribers, then each topic's subscriptions under exactly the
 * event's contexts. A subscriber has at most one run per event.
 *
 * @param place undefined for the first page.
 * @returns the ids of the new runs, and the position of the next page, null after the last one.
 */
export async function fanOutPage(
  scope: EnvironmentScope,
  event: Event,
  place: Place | undefined,
): Promise<{ readonly runIds: readonly string[]; readonly next: Place | null }> {
  const { newId, now } = scope
  const { subscriberIds, topics } = recipientsOf(event)
  const start = (topic: number): Place | null => (topic < topics.length ? { topic, after: null } : null)
  if (place === undefined) {
    return { runIds: await insertRuns(scope, event.id, subscriberIds, newId, now()), next: start(0) }
  }
  const topic = topics[place.topic]
  if (topic === undefined) return { runIds: [], next: null }
  const page = await subscriptionPage(scope, {
    topicKey: topic.topicKey,
    contextKeys: event.contextKeys,
    after: place.after,
    take: PAGE,
  })
  const named = new Set(page.map(({ subscriberId }) => subscriberId).filter((id) => !topic.exclude.has(id)))
  const last = page.length < PAGE ? undefined : page.at(-1)
  return {
    runIds: await insertRuns(scope, event.id, [...named], newId, now()),
    next: last ? { topic: place.topic, after: last.id } : start(place.topic + 1),
  }
}

/** Executes a fan-out job: creates one page of runs, and enqueues their jobs and the next page. */
export async function fanOut(scope: EnvironmentScope, { eventId, place }: Work['fan-out']): Promise<void> {
  const { db, environmentId } = scope
  const event = await db.event.findUnique({ where: { environmentId_id: { environmentId, id: eventId } } })
  if (event === null || event.cancelledAt !== null) return
  const { runIds, next } = await fanOutPage(scope, event, place)
  if (next === null) await completeFanOut(scope, event)
  await enqueue(scope, [
    ...advanceJobs(runIds),
    ...(next ? [{ queue: 'fan-out' as const, data: { eventId, place: next } }] : []),
  ])
}
