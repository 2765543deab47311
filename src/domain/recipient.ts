// The recipients and the actor of a trigger: subscribers, with changes to write, and topics.
import { z } from 'zod'
import { keepTopic } from '../data/lock.ts'
import type { Event, Prisma } from '../data/prisma/client.ts'
import { upsertSubscribers } from '../data/subscriber.ts'
import type { Path } from '../lib/errors.ts'
import { type JsonObject, text } from '../lib/validation.ts'
import { channelCredentials, credentialRows } from './credential.ts'
import type { Scope } from './scope.ts'
import { profile, subscriberId } from './subscriber.ts'
import { topicNotFound } from './topic.ts'

/** Recipients in one trigger. A topic counts as one. */
export const MAX_RECIPIENTS = 100

/** A subscriber: an id, or an id with the profile and the credentials to write. */
const subscriberRecipient = z.union([
  subscriberId,
  profile.extend({
    subscriberId,
    channels: channelCredentials.nullish(),
    type: z.literal('Subscriber').optional(),
  }),
])
type SubscriberRecipient = z.output<typeof subscriberRecipient>

const topicRecipient = z.object({
  type: z.literal('Topic'),
  topicKey: text(255, 1),
  exclude: z.array(z.string()).max(1000).nullish(),
})

/** A subscriber, or all subscribers of a topic. */
const recipient = z.union([subscriberRecipient, topicRecipient])
type Recipient = z.output<typeof recipient>
type TopicRecipient = z.output<typeof topicRecipient>

/** The input schema of the recipients of a trigger. */
export const recipients = z.union([recipient, z.array(recipient).min(1).max(MAX_RECIPIENTS)])

/** The input schema of the subscriber that caused a trigger. */
export const actor = subscriberRecipient.nullish()

const isTopic = (named: Recipient): named is TopicRecipient => typeof named === 'object' && named.type === 'Topic'

/** A subscriber in a trigger, and where the trigger names it. */
interface Named {
  readonly recipient: SubscriberRecipient
  readonly path: Path
}

/** A subscriber that a trigger names, and not another one that has the same subscriberId later. */
export interface NamedSubscriber {
  readonly subscriberId: string
  /** The row id. Undefined in events of earlier versions, which run for the subscriber that has the subscriberId by then. */
  readonly id?: string | undefined
}

/** The recipients of an event, as stored. */
export const storedRecipients = z.array(
  z.union([
    z.object({ subscriberId: z.string(), id: z.string().optional() }),
    z.object({ topicKey: z.string(), exclude: z.array(z.string()).default([]) }),
  ]),
)

/** The recipients of an event, as the trigger named them. */
export const namedRecipientsOf = ({ recipients }: Pick<Event, 'recipients'>): JsonObject[] =>
  storedRecipients.parse(recipients).map((one) => ('subscriberId' in one ? { subscriberId: one.subscriberId } : one))

/**
 * Writes the profiles and credentials of subscribers in a trigger.
 *
 * @returns who they are, without duplicates.
 * @throws Refusal as `credentialRow` does.
 */
async function writeSubscribers(
  scope: Scope,
  named: readonly Named[],
): Promise<readonly (NamedSubscriber & { readonly id: string })[]> {
  const given = named.map(({ recipient, path }) => {
    const { type, channels, ...patch } = typeof recipient === 'string' ? { subscriberId: recipient } : recipient
    return { patch, channels, path }
  })
  const patches = given.map(({ patch }) => patch)
  const credentials = await Promise.all(
    given.map(({ patch, channels, path }) => credentialRows(scope, patch.subscriberId, channels, path)),
  )
  const { newId, now } = scope
  const written = await upsertSubscribers(scope, { patches, credentials: credentials.flat(), newId, now: now() })
  const rowIds = new Map(written.map(({ subscriberId, id }) => [subscriberId, id]))
  return [...new Set(patches.map(({ subscriberId }) => subscriberId))].flatMap((subscriberId) => {
    const id = rowIds.get(subscriberId)
    return id === undefined ? [] : [{ subscriberId, id }]
  })
}

/** Writes the subscribers of a trigger and locks its topics. @returns the recipients, as stored. */
export async function writeRecipients(scope: Scope, to: z.output<typeof recipients>): Promise<Prisma.JsonObject[]> {
  const named = Array.isArray(to) ? to : [to]
  const topics = named.filter(isTopic)
  for (const { topicKey } of topics) {
    if (!(await keepTopic(scope, topicKey))) throw topicNotFound(topicKey, 'to')
  }
  const subscribers = named.flatMap((recipient, index): Named[] => {
    return isTopic(recipient) ? [] : [{ recipient, path: Array.isArray(to) ? ['to', index] : ['to'] }]
  })
  return [
    ...(await writeSubscribers(scope, subscribers)).map(({ subscriberId, id }) => ({ subscriberId, id })),
    ...topics.map(({ topicKey, exclude }) => ({ topicKey, exclude: exclude ?? [] })),
  ]
}

/** Writes the subscriber that caused a trigger. @returns its id; null if the trigger names none. */
export async function writeActor(scope: Scope, given: z.output<typeof actor>): Promise<string | null> {
  if (given === null || given === undefined) return null
  const [written] = await writeSubscribers(scope, [{ recipient: given, path: ['actor'] }])
  return written?.subscriberId ?? null
}
