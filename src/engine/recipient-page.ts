// The recipients of an event, in pages: first the subscribers that the trigger names, then the subscribers of each
// topic, or everyone.
import type { Work } from '../data/queue/job.ts'
import type { Event } from '../data/prisma/client.ts'
import { everyonePage, type NewRun, type RunState } from '../data/run.ts'
import { subscriptionPage } from '../data/topic-subscription.ts'
import type { NamedSubscriber } from '../domain/trigger/recipient.ts'
import type { EnvironmentScope } from '../domain/resolver/scope.ts'
import { type Recipients, recipientsOf } from './decision/run-context.ts'

/** The position of a page. */
export type RecipientPlace = NonNullable<Work['fan_out']['place']>

/**
 * One page of recipients, some of which may not exist, and the position of the next page, which is null after the last
 * one.
 */
export interface RecipientPage {
  readonly recipients: readonly NamedSubscriber[]
  /** The ids of subscribers with a subscription that has no preferences and therefore admits every workflow. */
  readonly admitted: ReadonlySet<string>
  readonly next: RecipientPlace | null
}

/** The first page of a topic, or null after the last one. Everyone includes the subscribers of all topics. */
function startOf({ everyone, topics }: Recipients, topic: number): RecipientPlace | null {
  if (everyone) return { everyone: true, after: null }
  return topic < topics.length ? { topic, after: null } : null
}

/** The subscribers that the trigger names, without duplicates. */
function directPage(recipients: Recipients, start: number, take: number): RecipientPage {
  const end = start + take
  return {
    recipients: recipients.subscribers.slice(start, end),
    admitted: new Set(),
    next: end < recipients.subscribers.length ? { subscriber: end } : startOf(recipients, 0),
  }
}

/** Subscriptions to a topic under exactly the event's contexts. */
async function topicPage(
  scope: EnvironmentScope,
  recipients: Recipients,
  { contextKeys }: Event,
  place: Extract<RecipientPlace, { topic: number }>,
  take: number,
): Promise<RecipientPage> {
  const topic = recipients.topics[place.topic]
  if (topic === undefined) return { recipients: [], admitted: new Set(), next: null }
  const { topicKey, exclude } = topic
  const page = await subscriptionPage(scope, { topicKey, contextKeys, after: place.after, take })
  const subscribed = new Set(page.map(({ subscriberId }) => subscriberId).filter((id) => !exclude.has(id)))
  const last = page.length < take ? undefined : page.at(-1)
  return {
    recipients: [...subscribed].map((subscriberId) => ({ subscriberId })),
    admitted: new Set(page.filter(({ hasPreferences }) => !hasPreferences).map(({ subscriberId }) => subscriberId)),
    next: last ? { topic: place.topic, after: last.id } : startOf(recipients, place.topic + 1),
  }
}

/**
 * Subscribers of the environment in the order of their row ids, as they are when the page is read. A subscriber who is
 * deleted and created again meanwhile has one run, because runs are unique by subscriberId.
 */
async function pageOfEveryone(
  scope: EnvironmentScope,
  { actor }: Event,
  { after }: Extract<RecipientPlace, { everyone: true }>,
  take: number,
): Promise<RecipientPage> {
  const page = await everyonePage(scope, { after, take })
  const last = page.length < take ? undefined : page.at(-1)
  return {
    recipients: page.filter(({ subscriberId }) => subscriberId !== actor),
    admitted: new Set(),
    next: last ? { everyone: true, after: last.id } : null,
  }
}

/**
 * Reads one page of the recipients of an event.
 *
 * @param place undefined for the first page.
 * @param take the maximum number of subscribers or subscriptions in the page.
 */
export async function readRecipientPage(
  scope: EnvironmentScope,
  event: Event,
  place: RecipientPlace | undefined,
  take: number,
): Promise<RecipientPage> {
  const recipients = recipientsOf(event)
  const start = place ?? (recipients.subscribers.length > 0 ? { subscriber: 0 } : startOf(recipients, 0))
  if (start === null) return { recipients: [], admitted: new Set(), next: null }
  if ('subscriber' in start) return directPage(recipients, start.subscriber, take)
  return 'everyone' in start
    ? pageOfEveryone(scope, event, start, take)
    : topicPage(scope, recipients, event, start, take)
}

/** A run of an event for a recipient, in the given state. */
export const newRun = (
  { newId }: EnvironmentScope,
  { id: eventId, workflowIdentifier, createdAt: eventCreatedAt, contextKeys }: Event,
  { subscriberId, id: subscriberRowId }: NamedSubscriber,
  state: Omit<RunState, 'error'> & Pick<NewRun, 'outcome'>,
): NewRun => ({
  ...state,
  id: newId(),
  eventId,
  workflowIdentifier,
  eventCreatedAt,
  contextKeys,
  subscriberId,
  subscriberRowId,
})
