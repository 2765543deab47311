// The end of an event's fan-out: every recipient has its run, there were no recipients, or the fan-out failed.
import { hasRuns } from '../data/event.ts'
import { touchOutcomes } from '../data/event-outcome.ts'
import type { Event } from '../data/prisma/client.ts'
import { eventReasons, type FailureReason, type SkipReason } from '../domain/trigger/event-status.ts'
import { everyonePage } from '../data/run.ts'
import { recordWebhookMessages, wantedAmong } from '../domain/outbox/webhook-message.ts'
import { MAX_DETAIL } from '../domain/outbox/webhook-type.ts'
import type { EnvironmentScope } from '../domain/resolver/scope.ts'
import { recipientsOf } from './decision/run-context.ts'
import { shorten } from '../lib/shorten.ts'

/** Records that the fan-out of an event is complete. An event without runs is skipped, with a reason. */
export async function completeFanOut(scope: EnvironmentScope, event: Event): Promise<void> {
  const { db, environmentId } = scope
  const cause = (await hasRuns(scope, event.id)) ? {} : await emptiness(scope, event)
  const where = { environmentId_id: { environmentId, id: event.id } }
  const now = scope.now()
  await db.event.update({ where, data: { fannedOutAt: now, updatedAt: now, ...cause } })
  // The runs may have ended before.
  if ((await wantedAmong(scope, ['event.completed'])).length > 0) await touchOutcomes(scope, event.id)
}

const list = new Intl.ListFormat('en', { type: 'disjunction' })

/** Why an event for everyone has no runs. */
async function emptyEnvironment(scope: EnvironmentScope): ReturnType<typeof emptiness> {
  const [actor] = await everyonePage(scope, { after: null, take: 1 })
  if (actor === undefined) return { reason: 'no_subscribers', detail: eventReasons.no_subscribers.detail }
  return {
    reason: 'all_excluded',
    detail: `The only subscriber, "${actor.subscriberId}", is the actor of the trigger.`,
  }
}

/** Why an event has no runs. */
async function emptiness(
  scope: EnvironmentScope,
  event: Event,
): Promise<{ readonly reason: SkipReason; readonly detail: string }> {
  const { everyone, topics } = recipientsOf(event)
  if (everyone) return emptyEnvironment(scope)
  const { db, environmentId } = scope
  const topicKeys = topics.map(({ topicKey }) => topicKey)
  if (topicKeys.length === 0) return { reason: 'recipients_deleted', detail: eventReasons.recipients_deleted.detail }
  const { contextKeys } = event
  const subscription = await db.topicSubscription.findFirst({
    where: { environmentId, topicKey: { in: topicKeys }, contextKeys: { equals: contextKeys } },
    select: { id: true },
  })
  const named = list.format(topicKeys.map((key) => `"${key}"`))
  if (subscription !== null) {
    return { reason: 'all_excluded', detail: `The trigger excludes every subscriber of the topic ${named}.` }
  }
  const under = contextKeys.length === 0 ? 'without a context' : `under exactly the contexts ${contextKeys.join(', ')}`
  return { reason: 'no_subscriptions', detail: `Nobody is subscribed to the topic ${named} ${under}.` }
}

/**
 * Fails an event whose fan-out cannot be completed. Existing runs continue, and `retryEvent` creates the missing ones.
 * Does nothing if the fan-out is complete, or if the event has failed or was cancelled.
 *
 * @param detail the reason in a sentence, if it adds to the code.
 */
export async function failEvent(
  scope: EnvironmentScope,
  eventId: string,
  reason: FailureReason,
  detail: string = eventReasons[reason].detail,
): Promise<void> {
  const { db, environmentId, now, metrics, afterCommit } = scope
  const { count } = await db.event.updateMany({
    where: { environmentId, id: eventId, fannedOutAt: null, cancelledAt: null, reason: null },
    data: { reason, detail, updatedAt: now() },
  })
  if (count === 0) return
  afterCommit(() => metrics.eventFailed(reason))
  await recordWebhookMessages(scope, 'event.failed', async () => {
    const { transactionId, workflowIdentifier, contextKeys } = await db.event.findUniqueOrThrow({
      where: { environmentId_id: { environmentId, id: eventId } },
    })
    const event = { eventId, transactionId, workflowIdentifier, contextKeys }
    return [{ data: { ...event, reason, detail: shorten(detail, MAX_DETAIL) }, contextKeys }]
  })
}
