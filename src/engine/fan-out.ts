// Fan-out: creates one run per recipient of an event, one page of recipients at a time.
import { advanceJobs, enqueue, type Job, type JobTiming, type Work } from '../data/job.ts'
import type { Event } from '../data/prisma/client.ts'
import { insertRuns } from '../data/run.ts'
import { subscriptionPage } from '../data/topic-subscription.ts'
import type { EnvironmentScope } from '../domain/scope.ts'
import { loadTriggeredWorkflow } from '../domain/triggered-workflow.ts'
import { completeFanOut, failEvent } from './event-outcome.ts'
import { recipientsOf } from './run-context.ts'
import { suspensionErrorOf } from './suspension.ts'

/** The largest number of subscriptions in a page. Each page is one transaction. */
export const LARGEST_PAGE = 500

/** The position of the next page. */
type Place = NonNullable<Work['fan_out']['place']>

/**
 * Creates the runs of one page of recipients: first the subscribers, then each topic's subscriptions under exactly the
 * event's contexts. A subscriber has at most one run per event.
 *
 * @param place undefined for the first page.
 * @param take the number of subscriptions in the page.
 * @returns the ids of the new runs, and the position of the next page, null after the last one.
 */
export async function fanOutPage(
  scope: EnvironmentScope,
  event: Event,
  place: Place | undefined,
  take = LARGEST_PAGE,
): Promise<{ readonly runIds: readonly string[]; readonly next: Place | null }> {
  const { newId, now } = scope
  const { subscribers, topics } = recipientsOf(event)
  const start = (topic: number): Place | null => (topic < topics.length ? { topic, after: null } : null)
  if (place === undefined) {
    return { runIds: await insertRuns(scope, event.id, subscribers, newId, now()), next: start(0) }
  }
  const topic = topics[place.topic]
  if (topic === undefined) return { runIds: [], next: null }
  const page = await subscriptionPage(scope, {
    topicKey: topic.topicKey,
    contextKeys: event.contextKeys,
    after: place.after,
    take,
  })
  const subscribed = new Set(page.map(({ subscriberId }) => subscriberId).filter((id) => !topic.exclude.has(id)))
  const recipients = [...subscribed].map((subscriberId) => ({ subscriberId }))
  const last = page.length < take ? undefined : page.at(-1)
  return {
    runIds: await insertRuns(scope, event.id, recipients, newId, now()),
    next: last ? { topic: place.topic, after: last.id } : start(place.topic + 1),
  }
}

/**
 * Executes a fan-out job: creates one page of runs, and enqueues their jobs and the next page.
 *
 * @param take the number of subscriptions in the page.
 * @returns the number of new runs.
 */
export async function fanOut(
  scope: EnvironmentScope,
  { data: { eventId, place }, dueAt, digestWorkflowId }: Job<'fan_out'>,
  take: number,
): Promise<number> {
  const { db, environmentId } = scope
  const event = await db.event.findUnique({ where: { environmentId_id: { environmentId, id: eventId } } })
  if (event === null || event.cancelledAt !== null) return 0
  const suspended = await suspensionErrorOf(scope, await loadTriggeredWorkflow(scope, event))
  if (suspended !== undefined) {
    await failEvent(scope, event.id, 'workflow_suspended', suspended)
    return 0
  }
  const { runIds, next } = await fanOutPage(scope, event, place, take)
  if (next === null) await completeFanOut(scope, event)
  // The first step is due when the event was accepted. The jobs themselves take their turn behind those that wait.
  const timing: JobTiming = { dueAt, digestWorkflowId }
  await enqueue(scope, [
    ...advanceJobs(runIds, timing),
    ...(next ? [{ ...timing, queue: 'fan_out' as const, data: { eventId, place: next } }] : []),
  ])
  return runIds.length
}
