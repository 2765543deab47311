// The recipients and the actor of a trigger: subscribers, with changes to write, topics, and everyone.
import { z } from 'zod'
import type { Event, Prisma } from '../../data/prisma/client.ts'
import type { CredentialRow } from '../../data/subscriber-credential.ts'
import type { SubscriberPatch } from '../../data/subscriber.ts'
import type { Path } from '../../lib/errors.ts'
import { type JsonObject, text, storableText } from '../../lib/validation.ts'
import { channelCredentials, credentialRows } from '../credential.ts'
import type { Scope } from '../resolver/scope.ts'
import { assertNewSubscribers, isUnusual, subscriberId } from '../subscriber-id.ts'
import { profile } from '../subscriber.ts'

/** Maximum recipients in one trigger. A topic counts as one. */
export const MAX_RECIPIENTS = 100

/** A subscriber: an id, or an id with the profile and the credentials to write. */
const subscriberRecipient = z.union([
  subscriberId,
  // An unknown field is an error, because a misspelled one would be lost.
  z.strictObject({
    ...profile.shape,
    subscriberId,
    channels: channelCredentials.nullish(),
    type: z.literal('Subscriber').optional(),
  }),
])
type SubscriberRecipient = z.output<typeof subscriberRecipient>

const topicRecipient = z.strictObject({
  type: z.literal('Topic'),
  topicKey: text(255, 1),
  exclude: z.array(storableText).max(1000).nullish(),
})

/** Every subscriber of the environment, except the actor. */
const everyoneRecipient = z.strictObject({ everyone: z.boolean().refine((given) => given, 'must be true') })

/** A subscriber, all subscribers of a topic, or all of the environment. */
const recipient = z.union([subscriberRecipient, topicRecipient, everyoneRecipient])
type Recipient = z.output<typeof recipient>
type TopicRecipient = z.output<typeof topicRecipient>
type EveryoneRecipient = z.output<typeof everyoneRecipient>

/** The input schema of the recipients of a trigger. */
export const recipients = z.union([recipient, z.array(recipient).min(1).max(MAX_RECIPIENTS)])
type Recipients = z.output<typeof recipients>

/** The input schema of the subscriber that caused a trigger. */
export const actor = subscriberRecipient.nullish()
type Actor = z.output<typeof actor>

const isTopic = (named: Recipient): named is TopicRecipient => typeof named === 'object' && 'topicKey' in named

const isEveryone = (named: Recipient): named is EveryoneRecipient => typeof named === 'object' && 'everyone' in named

/** A subscriber in a trigger, and its path in the input. */
interface Named {
  readonly recipient: SubscriberRecipient
  readonly path: Path
}

/** A subscriber that a trigger names. A later subscriber with the same subscriberId is a different one. */
export interface NamedSubscriber {
  readonly subscriberId: string
  /**
   * The row id. Undefined in events of earlier versions, which run for the subscriber with the subscriberId at the time
   * of the run.
   */
  readonly id?: string | undefined
}

/** The recipients of an event, as stored. */
export const storedRecipients = z.array(
  z.union([
    z.object({ subscriberId: z.string(), id: z.string().optional() }),
    z.object({ topicKey: z.string(), exclude: z.array(z.string()).default([]) }),
    z.object({ everyone: z.literal(true) }),
  ]),
)

type StoredRecipient = z.output<typeof storedRecipients>[number]
export type NamedTopic = Extract<StoredRecipient, { readonly topicKey: string }>
export type Everyone = Extract<StoredRecipient, { readonly everyone: true }>

/** The recipients of an event, as the trigger named them. */
export const recipientsNamedIn = ({
  recipients,
}: Pick<Event, 'recipients'>): (NamedSubscriber | NamedTopic | Everyone)[] => storedRecipients.parse(recipients)

/** The same as JSON, without row ids. */
export const recipientsAsJson = (event: Pick<Event, 'recipients'>): JsonObject[] =>
  recipientsNamedIn(event).map((one) => ('subscriberId' in one ? { subscriberId: one.subscriberId } : one))

const listOf = (to: Recipients): readonly Recipient[] => (Array.isArray(to) ? to : [to])

/** The keys of the topics in a trigger. */
export const topicKeysOf = (to: Recipients): string[] =>
  listOf(to)
    .filter(isTopic)
    .map(({ topicKey }) => topicKey)

const subscriberIdOf = (named: SubscriberRecipient) => (typeof named === 'string' ? named : named.subscriberId)

/**
 * Returns recipients as an event stores them, without row ids: subscribers without duplicates, then topics, then
 * everyone.
 */
export function recipientsOfTrigger(to: Recipients): Prisma.JsonObject[] {
  const named = listOf(to)
  const subscriberIds = named.flatMap((one) => (isTopic(one) || isEveryone(one) ? [] : subscriberIdOf(one)))
  return [
    ...[...new Set(subscriberIds)].map((subscriberId) => ({ subscriberId })),
    ...named.filter(isTopic).map(({ topicKey, exclude }) => ({ topicKey, exclude: exclude ?? [] })),
    ...(named.some(isEveryone) ? [{ everyone: true }] : []),
  ]
}

/** The changes of a trigger to its subscribers. */
interface SubscriberChanges {
  /** In the order of the trigger, so that later values win. A subscriber given only by id has no fields. */
  readonly patches: readonly SubscriberPatch[]
  readonly credentials: readonly CredentialRow[]
  /** The id of the subscriber that caused the trigger. Null if there is none. */
  readonly actor: string | null
}

/** @throws Refusal like `assertNewSubscribers` and `credentialRow`. */
export async function subscriberChanges(
  scope: Scope,
  { to, actor }: { readonly to: Recipients; readonly actor?: Actor },
): Promise<SubscriberChanges> {
  const named = listOf(to).flatMap((recipient, index): Named[] =>
    isTopic(recipient) || isEveryone(recipient)
      ? []
      : [{ recipient, path: Array.isArray(to) ? ['to', index] : ['to'] }],
  )
  if (actor) named.push({ recipient: actor, path: ['actor'] })
  const changes = named.map(({ recipient, path }) => {
    const { type, channels, ...patch } = typeof recipient === 'string' ? { subscriberId: recipient } : recipient
    return { patch, channels, path }
  })
  const unusual = changes.flatMap(({ patch: { subscriberId }, path }, index) =>
    isUnusual(subscriberId)
      ? [{ subscriberId, path: typeof named[index]?.recipient === 'string' ? path : [...path, 'subscriberId'] }]
      : [],
  )
  // A bulk of triggers comes here for each one, and hardly any names such an id.
  if (unusual.length > 0) await assertNewSubscribers(scope, unusual)
  const credentials = await Promise.all(
    changes.flatMap(({ patch, channels, path }) =>
      channels ? credentialRows(scope, patch.subscriberId, channels, path) : [],
    ),
  )
  return {
    patches: changes.map(({ patch }) => patch),
    credentials: credentials.flat(),
    actor: actor ? subscriberIdOf(actor) : null,
  }
}
