// The recipients of an event, one page at a time: first the subscribers that the trigger names, then each topic's.
import type { Work } from '../data/job.ts'
import type { Event } from '../data/prisma/client.ts'
import { newRecipients, type RecipientName } from '../data/run.ts'
import type { Subscriber } from '../data/subscriber.ts'
import { subscriptionPage } from '../data/topic-subscription.ts'
import type { EnvironmentScope } from '../domain/scope.ts'
import { groupBy } from '../lib/group-by.ts'
import { type Recipients, recipientsOf } from './run-context.ts'

/** The position of a page. */
export type RecipientPlace = NonNullable<Work['fan_out']['place']>

/** An event, and the page of its recipients to read. */
export interface RecipientPageRequest {
  readonly event: Event
  /** Undefined for the first page. */
  readonly place: RecipientPlace | undefined
}

/** Subscribers without a run of the event, and the position of the next page: null after the last one. */
export interface RecipientPage {
  readonly subscribers: readonly Subscriber[]
  readonly next: RecipientPlace | null
}

interface NamedPage {
  readonly names: readonly RecipientName[]
  readonly next: RecipientPlace | null
}

const startOf = ({ topics }: Recipients, topic: number): RecipientPlace | null =>
  topic < topics.length ? { topic, after: null } : null

/** The subscribers that the trigger names, without duplicates. */
function directPage(recipients: Recipients, eventId: string, start: number, take: number): NamedPage {
  const page = recipients.subscribers.slice(start, start + take)
  const end = start + page.length
  return {
    names: page.map(({ subscriberId, id }) => ({ eventId, subscriberId, id })),
    next: end < recipients.subscribers.length ? { subscriber: end } : startOf(recipients, 0),
  }
}

/** Subscriptions to a topic under exactly the event's contexts. */
async function topicPage(
  scope: EnvironmentScope,
  recipients: Recipients,
  { id: eventId, contextKeys }: Event,
  place: Extract<RecipientPlace, { topic: number }>,
  take: number,
): Promise<NamedPage> {
  const topic = recipients.topics[place.topic]
  if (topic === undefined) return { names: [], next: null }
  const { topicKey, exclude } = topic
  const page = await subscriptionPage(scope, { topicKey, contextKeys, after: place.after, take })
  const subscribed = new Set(page.map(({ subscriberId }) => subscriberId).filter((id) => !exclude.has(id)))
  const last = page.length < take ? undefined : page.at(-1)
  return {
    names: [...subscribed].map((subscriberId) => ({ eventId, subscriberId })),
    next: last ? { topic: place.topic, after: last.id } : startOf(recipients, place.topic + 1),
  }
}

async function namedPage(
  scope: EnvironmentScope,
  { event, place }: RecipientPageRequest,
  take: number,
): Promise<NamedPage> {
  const recipients = recipientsOf(event)
  const start = place ?? (recipients.subscribers.length > 0 ? { subscriber: 0 } : startOf(recipients, 0))
  if (start === null) return { names: [], next: null }
  return 'subscriber' in start
    ? directPage(recipients, event.id, start.subscriber, take)
    : topicPage(scope, recipients, event, start, take)
}

/**
 * Reads one page of the recipients of each of these events, and locks them against deletion until the transaction ends.
 *
 * @param requests different events.
 * @param take the number of subscribers or subscriptions in each page.
 * @returns the pages in the order of the requests.
 */
export async function readRecipientPages(
  scope: EnvironmentScope,
  requests: readonly RecipientPageRequest[],
  take: number,
): Promise<readonly RecipientPage[]> {
  const pages = await Promise.all(requests.map((request) => namedPage(scope, request, take)))
  const found = await newRecipients(
    scope,
    pages.flatMap(({ names }) => names),
  )
  const byEvent = groupBy(found, ({ eventId }) => eventId)
  return requests.map(({ event }, index) => ({
    subscribers: byEvent.get(event.id) ?? [],
    next: pages[index]?.next ?? null,
  }))
}
