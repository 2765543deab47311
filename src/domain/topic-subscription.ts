// Topic subscriptions: subscribers of a topic, with their contexts and preferences.
import { z } from 'zod'
import { keepTopic } from '../data/lock.ts'
import {
  insertPreferences,
  pagesByContext,
  pagesBySubscriber,
  pagesByTopic,
  pagesWithTopics,
  preferencesBySubscription,
  subscriptionPages,
  subscriptionsById,
  type TopicSubscription,
  type SubscriptionFilter,
} from '../data/topic-subscription.ts'
import { topicsById, topicsByKey } from '../data/topic.ts'
import { refuse } from '../lib/errors.ts'
import { orderWithName, pageRequest } from '../lib/page.ts'
import { present } from '../lib/present.ts'
import { severalOf, valuesOf } from '../lib/several.ts'
import { filterOf, text, storableText } from '../lib/validation.ts'
import { contextKeysFilter } from './context.ts'
import { referenceOf, notFound, rowId } from './resolver/reference.ts'
import { mutation, query } from './resolver/resolver.ts'
import type { Scope } from './resolver/scope.ts'
import { assertVersion, expectedVersion, inVersion } from './resolver/version.ts'
import { subscriberId } from './subscriber-id.ts'
import { asGiven, newPreferences, preferenceEntries, type PreferenceEntry } from './subscription-preference.ts'
import { topicKeyLookup, topicNotFound } from './topic.ts'

export type { TopicSubscription }

/** Maximum items in one write. */
export const MAX_ROWS = 100

/** An identifier in a lookup. A default identifier contains the topic key, the subscriberId and the context keys. */
export const identifierLookup = text(2048, 1)

/** The fields of an input that name an existing subscription. */
const named = { topicKey: topicKeyLookup.nullish(), identifier: identifierLookup.nullish(), id: rowId }

/** The input schema of a name. Null clears it. */
export const subscriptionName = text(255).nullish()

/** The input schema of a filter. */
export const subscriptionFilter = filterOf({
  topicKey: text(255),
  topicKeys: severalOf(text(255)),
  subscriberId: text(255),
  subscriberIds: severalOf(text(255)),
  contextKeys: contextKeysFilter,
  search: text(255),
}).transform(({ contextKeys, search, ...given }): SubscriptionFilter => ({
  contextKeys,
  search,
  topicKey: valuesOf(given.topicKey, given.topicKeys),
  subscriberId: valuesOf(given.subscriberId, given.subscriberIds),
}))

const listed = z.object({ page: pageRequest, orderBy: orderWithName, filter: subscriptionFilter })

export const topicSubscription = query({
  name: 'topicSubscription.get',
  permission: 'topicSubscription:read',
  owner: null,
  input: z.object(named),
  run({ db, load, environmentId }, { topicKey, identifier, id }): Promise<TopicSubscription | null> {
    const subscription = referenceOf({ topicKey, identifier }, { id })
    return 'id' in subscription
      ? load(subscriptionsById, subscription.id)
      : db.topicSubscription.findUnique({
          where: { environmentId_topicKey_identifier: { environmentId, ...subscription } },
        })
  },
})

export const topicSubscriptions = query({
  name: 'topicSubscription.list',
  permission: 'topicSubscription:read',
  owner: null,
  input: listed,
  run: ({ load, environmentId }, list) => load(subscriptionPages, { parent: environmentId, ...list }),
})

/** Lists the subscriptions of a topic. Batched. */
export const subscriptionsOfTopic = query({
  name: 'topicSubscription.listOfTopic',
  permission: 'topicSubscription:read',
  owner: null,
  input: listed.extend({ topicKey: topicKeyLookup }),
  run: ({ load }, { topicKey, ...list }) => load(pagesByTopic, { parent: topicKey, ...list }),
})

/** Reads the topic of a subscription. Batched. @throws Refusal `NOT_FOUND` if the topic was just deleted. */
export const topicOf = query({
  name: 'topicSubscription.getTopic',
  permission: 'topic:read',
  input: z.object({ topicKey: storableText }),
  async run({ load }, { topicKey }) {
    const found = await load(topicsByKey, topicKey)
    if (found === null) throw topicNotFound(topicKey, 'topicKey')
    return found
  },
})

/**
 * Lists the subscriptions of a subscriber. Batched.
 *
 * `withTopic` reads their topics too, in the same statement, if the caller may read topics.
 */
export const subscriptionsOfSubscriber = query({
  name: 'topicSubscription.listOfSubscriber',
  permission: 'topicSubscription:read',
  owner: null,
  input: listed.extend({ subscriberId, withTopic: z.boolean().default(false) }),
  run: ({ load, caller }, { subscriberId, withTopic, ...list }) =>
    load(withTopic && caller.permissions.has(topicOf.definition.permission) ? pagesWithTopics : pagesBySubscriber, {
      parent: subscriberId,
      ...list,
    }),
})

/** Lists the subscriptions with exactly one context, by its key. Batched. */
export const subscriptionsOfContext = query({
  name: 'topicSubscription.listOfContext',
  permission: 'topicSubscription:read',
  owner: null,
  input: listed.extend({ key: storableText }),
  run: ({ load }, { key, ...list }) => load(pagesByContext, { parent: key, ...list }),
})

export type FailureCode = 'SUBSCRIBER_NOT_FOUND' | 'IDENTIFIER_TAKEN' | 'LIMIT_REACHED' | 'SUBSCRIPTION_NOT_FOUND'

/** A failed item of a bulk request. */
export interface RowFailure {
  /** The index in the input. */
  readonly index: number
  readonly subscriberId: string | null
  readonly identifier: string | null
  readonly code: FailureCode
  readonly message: string
}

type SubscriptionReference = { readonly topicKey: string; readonly identifier: string } | { readonly id: string }

/** Selects the subscriptions of one owner. */
export interface OwnerFilter {
  readonly subscriberId: string
  readonly contextKeys: { readonly equals: string[] }
}

export function subscriptionNotFound(named: SubscriptionReference) {
  if ('id' in named) return notFound('Topic subscription', named)
  const { topicKey, identifier } = named
  return refuse('NOT_FOUND', `Topic "${topicKey}" has no subscription "${identifier}"`, 'identifier', identifier)
}

/**
 * Changes the given fields. Null clears the name, and `preferences` replaces all entries. Without fields, nothing is
 * written.
 */
export const updateTopicSubscription = mutation({
  name: 'topicSubscription.update',
  permission: 'topicSubscription:write',
  owner: null,
  input: z.object({
    ...named,
    name: subscriptionName,
    preferences: preferenceEntries.optional(),
    expectedVersion,
  }),
  async run(scope, { topicKey, identifier, id, expectedVersion, ...changes }) {
    const subscription = referenceOf({ topicKey, identifier }, { id })
    return changeSubscription(scope, subscription, changes, { expectedVersion })
  },
})

type EditEntries = (stored: readonly PreferenceEntry[]) => Promise<readonly PreferenceEntry[]>

interface Changes {
  readonly name?: string | null | undefined
  /** Replaces all entries, or returns new ones for those that are stored. */
  readonly preferences?: readonly PreferenceEntry[] | EditEntries | undefined
}

/**
 * Changes the given fields in a transaction.
 *
 * @param only what must be true of the subscription besides its reference.
 * @throws Refusal `NOT_FOUND`, or `STALE` if it has another version than the expected one.
 */
export async function changeSubscription(
  scope: Scope,
  subscription: SubscriptionReference,
  { name, preferences }: Changes,
  only: { readonly owner?: OwnerFilter; readonly expectedVersion?: z.output<typeof expectedVersion> } = {},
): Promise<TopicSubscription> {
  const { db, environmentId } = scope
  const where = { environmentId, ...subscription, ...only.owner }
  const [updated] = await db.topicSubscription.updateManyAndReturn({
    where: { ...where, ...inVersion(only.expectedVersion) },
    data: { name, updatedAt: name === undefined && preferences === undefined ? undefined : scope.now() },
  })
  if (updated === undefined) {
    const present = await db.topicSubscription.findFirst({ where })
    assertVersion('The topic subscription', only.expectedVersion, present?.version)
    throw subscriptionNotFound(subscription)
  }
  if (preferences) {
    // Workflows are locked before their entries, in the same order as by a deletion, which prevents deadlocks.
    const entries =
      typeof preferences === 'function'
        ? await preferences(asGiven(await scope.load(preferencesBySubscription, updated.id)))
        : preferences
    const rows = await newPreferences(scope, entries)
    await db.topicSubscriptionPreference.deleteMany({ where: { environmentId, subscriptionId: updated.id } })
    await insertPreferences(scope, [updated.id], rows)
  }
  return updated
}

/** Keeps a topic from being deleted until the transaction ends. @returns its key. @throws Refusal `NOT_FOUND` */
async function keptTopic(
  scope: Scope,
  topic: { readonly topicKey: string } | { readonly topicId: string },
): Promise<string> {
  const topicKey = 'topicKey' in topic ? topic.topicKey : (await scope.load(topicsById, topic.topicId))?.key
  if (topicKey !== undefined && (await keepTopic(scope, topicKey))) return topicKey
  throw notFound('Topic', topic)
}

interface DeletedSubscriptions {
  readonly deleted: readonly TopicSubscription[]
  readonly failed: readonly RowFailure[]
}

/**
 * Deletes subscriptions of a topic. An item has an identifier, a subscriberId (to delete all of that subscriber's), or
 * both.
 */
export const deleteTopicSubscriptions = mutation({
  name: 'topicSubscription.delete',
  permission: 'topicSubscription:write',
  owner: null,
  input: z.object({
    topicKey: topicKeyLookup.nullish(),
    topicId: rowId,
    subscriptions: z
      .array(
        z
          .object({ subscriberId: subscriberId.nullish(), identifier: identifierLookup.nullish() })
          .refine(
            (row) => row.subscriberId != null || row.identifier != null,
            'must have a subscriberId or an identifier',
          ),
      )
      .min(1)
      .max(MAX_ROWS),
  }),
  async run(scope, { subscriptions, ...given }): Promise<DeletedSubscriptions> {
    const { db, environmentId } = scope
    const topicKey = await keptTopic(scope, referenceOf({ topicKey: given.topicKey }, { topicId: given.topicId }))
    const found = await db.topicSubscription.findMany({
      where: {
        environmentId,
        topicKey,
        OR: subscriptions.map((row) => present(row)),
      },
    })
    await db.topicSubscription.deleteMany({ where: { environmentId, id: { in: found.map(({ id }) => id) } } })
    const failed = subscriptions.flatMap(({ subscriberId = null, identifier = null }, index): RowFailure[] => {
      const isFound = found.some(
        (row) =>
          (subscriberId === null || row.subscriberId === subscriberId) &&
          (identifier === null || row.identifier === identifier),
      )
      if (isFound) return []
      const which = identifier === null ? `of subscriber "${String(subscriberId)}"` : `"${identifier}"`
      const message = `Topic "${topicKey}" has no subscription ${which}`
      return [{ index, subscriberId, identifier, code: 'SUBSCRIPTION_NOT_FOUND', message }]
    })
    return { deleted: found, failed }
  },
})
