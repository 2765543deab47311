// Topic subscriptions: which subscriber is in which topic, under which contexts and with which preferences.
import { z } from 'zod'
import { rowBatch } from '../data/loader.ts'
import { keepTopic } from '../data/lock.ts'
import { pageOf } from '../data/page.ts'
import type { Prisma, TopicSubscription } from '../data/prisma/client.ts'
import { insertPreferences, LIST_NAME, pagesBySubscriber, pagesByTopic } from '../data/topic-subscription.ts'
import { refuse } from '../lib/errors.ts'
import { order, pageRequest } from '../lib/page.ts'
import { present } from '../lib/present.ts'
import { filterOf, text, trimmedText } from '../lib/validation.ts'
import { contextKeysFilter } from './context.ts'
import { mutation, query } from './resolver.ts'
import { subscriberId } from './subscriber.ts'
import { newPreferences, preferenceEntries } from './subscription-preference.ts'
import { topicKeyLookup, topicNotFound, topicsByKey } from './topic.ts'

export type { TopicSubscription }

/** Rows in one write. */
export const MAX_ROWS = 100

/** An identifier that is looked for: one that was not chosen is as long as all that it is made of. */
const wantedIdentifier = trimmedText(2048)

/** What a subscription may be called: null clears. */
export const subscriptionName = text(255).nullish()

const filter = filterOf({ topicKey: text(255), subscriberId: text(255), contextKeys: contextKeysFilter })

const listed = z.object({ page: pageRequest, orderBy: order, filter })

const subscriptionsById = rowBatch<TopicSubscription>(
  ({ db, environmentId }, ids) => db.topicSubscription.findMany({ where: { environmentId, id: { in: ids } } }),
  ({ id }) => id,
)

export const topicSubscription = query({
  name: 'topicSubscription.get',
  permission: 'topicSubscription:read',
  input: z.union([z.object({ topicKey: topicKeyLookup, identifier: wantedIdentifier }), z.object({ id: z.uuid() })]),
  run: ({ db, load, environmentId }, named) =>
    'id' in named
      ? load(subscriptionsById, named.id)
      : db.topicSubscription.findUnique({
          where: { environmentId_topicKey_identifier: { environmentId, ...named } },
        }),
})

export const topicSubscriptions = query({
  name: 'topicSubscription.list',
  permission: 'topicSubscription:read',
  input: listed,
  run({ db, environmentId }, { page, orderBy, filter: { contextKeys, ...exact } }) {
    const where: Prisma.TopicSubscriptionWhereInput = {
      environmentId,
      ...exact,
      contextKeys: contextKeys && { equals: contextKeys },
    }
    return pageOf({ name: LIST_NAME, ownerId: environmentId }, orderBy, page, {
      find: ({ where: keyset, ...reading }) =>
        db.topicSubscription.findMany({ where: { ...where, ...keyset }, ...reading }),
      count: (take) => db.topicSubscription.count({ where, take }),
    })
  },
})

/** A page of a topic's subscriptions. Batched. */
export const subscriptionsOfTopic = query({
  name: 'topicSubscription.listOfTopic',
  permission: 'topicSubscription:read',
  input: listed.extend({ topicKey: topicKeyLookup }),
  run: ({ load }, { topicKey, page, orderBy, filter }) =>
    load(pagesByTopic, { parent: topicKey, order: orderBy, request: page, filter }),
})

/** A page of a subscriber's subscriptions. Batched. */
export const subscriptionsOfSubscriber = query({
  name: 'topicSubscription.listOfSubscriber',
  permission: 'topicSubscription:read',
  input: listed.extend({ subscriberId }),
  run: ({ load }, { subscriberId, page, orderBy, filter }) =>
    load(pagesBySubscriber, { parent: subscriberId, order: orderBy, request: page, filter }),
})

/** The topic of a subscription. Batched. @throws Refusal `NOT_FOUND` if the topic was deleted a moment ago. */
export const topicOf = query({
  name: 'topicSubscription.getTopic',
  permission: 'topic:read',
  input: z.object({ topicKey: z.string() }),
  async run({ load }, { topicKey }) {
    const found = await load(topicsByKey, topicKey)
    if (found === null) throw topicNotFound(topicKey, 'topicKey')
    return found
  },
})

export type FailureCode = 'SUBSCRIBER_NOT_FOUND' | 'IDENTIFIER_TAKEN' | 'LIMIT_REACHED' | 'SUBSCRIPTION_NOT_FOUND'

/** A row of a write that failed alone. */
export interface RowFailure {
  /** Its place in the list that was given. */
  readonly index: number
  readonly subscriberId: string | null
  readonly identifier: string | null
  readonly code: FailureCode
  readonly message: string
}

const subscriptionNotFound = (topicKey: string, identifier: string) =>
  refuse('NOT_FOUND', `Topic "${topicKey}" has no subscription "${identifier}"`, 'identifier', identifier)

/** Changes what is given: null clears a name, preferences replace all that there were. Without any, nothing. */
export const updateTopicSubscription = mutation({
  name: 'topicSubscription.update',
  permission: 'topicSubscription:write',
  input: z.object({
    topicKey: topicKeyLookup,
    identifier: wantedIdentifier,
    name: subscriptionName,
    preferences: preferenceEntries.optional(),
  }),
  async run(scope, { topicKey, identifier, name, preferences }) {
    const { db, environmentId } = scope
    const [updated] = await db.topicSubscription.updateManyAndReturn({
      where: { environmentId, topicKey, identifier },
      data: { name, updatedAt: name === undefined && preferences === undefined ? undefined : scope.now() },
    })
    if (updated === undefined) throw subscriptionNotFound(topicKey, identifier)
    if (preferences) {
      // Workflows are held first: whoever deletes one takes the entries that are of it after it.
      const rows = await newPreferences(scope, preferences)
      await db.topicSubscriptionPreference.deleteMany({ where: { environmentId, subscriptionId: updated.id } })
      await insertPreferences(scope, [updated.id], rows)
    }
    return updated
  },
})

export interface DeletedSubscriptions {
  readonly deleted: readonly TopicSubscription[]
  readonly failed: readonly RowFailure[]
}

/** Ends subscriptions to a topic. A row names one by its identifier, all of a subscriber, or both, which must agree. */
export const deleteTopicSubscriptions = mutation({
  name: 'topicSubscription.delete',
  permission: 'topicSubscription:write',
  input: z.object({
    topicKey: topicKeyLookup,
    subscriptions: z
      .array(
        z
          .object({ subscriberId: subscriberId.nullish(), identifier: wantedIdentifier.nullish() })
          .refine(
            (row) => row.subscriberId != null || row.identifier != null,
            'must have a subscriberId or an identifier',
          ),
      )
      .min(1)
      .max(MAX_ROWS),
  }),
  async run(scope, { topicKey, subscriptions }): Promise<DeletedSubscriptions> {
    const { db, environmentId } = scope
    if (!(await keepTopic(scope, topicKey))) throw topicNotFound(topicKey, 'topicKey')
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
