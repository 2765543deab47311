// Fan-out: an event becomes one run for each of its recipients, a page at a time.
import type { Event } from '../data/prisma/client.ts'
import { advanceJobs, enqueue, type Work } from '../data/queue.ts'
import { insertRuns } from '../data/run.ts'
import { subscriptionPage } from '../data/topic-subscription.ts'
import type { EnvironmentScope } from '../domain/scope.ts'
import { recipientsOf } from './run-context.ts'

/** Subscriptions that are read in one transaction. */
const PAGE = 500

/** Where the next page starts. */
type Place = NonNullable<Work['fan-out']['place']>

/**
 * Makes the runs of one page of an event's recipients: at first of the subscribers that were named, then of each topic's
 * subscriptions under exactly the event's contexts. Somebody who is named twice has one run.
 *
 * @returns the new runs, and where the next page starts; null when this was the last.
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

/** Does the work of one job: a page, the runs on their way, and the job for the next page. */
export async function fanOut(scope: EnvironmentScope, { eventId, place }: Work['fan-out']): Promise<void> {
  const { db, environmentId } = scope
  const event = await db.event.findUnique({ where: { environmentId_id: { environmentId, id: eventId } } })
  if (event === null || event.cancelledAt !== null) return
  const { runIds, next } = await fanOutPage(scope, event, place)
  await enqueue(scope, [
    ...advanceJobs(runIds),
    ...(next ? [{ queue: 'fan-out' as const, data: { eventId, place: next } }] : []),
  ])
}
