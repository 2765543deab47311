// Topic subscriptions: pages of all subscriptions, by topic and by subscriber, and bulk writes.
import { groupBy } from '../lib/group-by.ts'
import type { JsonObject } from '../lib/validation.ts'
import { type Batch, groupBatch, type Tenant } from './reading/loader.ts'
import { filterParts } from './reading/filter-parts.ts'
import { searchFor } from './reading/like-filter.ts'
import { environmentPages, equalTo, pagesBy } from './reading/page.ts'
import {
  Prisma,
  type Topic,
  type TopicSubscription as StoredSubscription,
  type TopicSubscriptionPreference,
} from './prisma/client.ts'
import { rowBy, rowsOfKeys, rowsWhere } from './reading/row.ts'
import { createdIn, insertRows, type Table } from './statement/table.ts'
import { limitTo, sql, sqlCount } from './statement/statement.ts'
import { topicTable } from './topic.ts'
import { NIL_ID } from '../lib/new-id.ts'

const topicSubscriptionTable: Table<StoredSubscription> = {
  name: 'topic_subscriptions',
  fields: Object.values(Prisma.TopicSubscriptionScalarFieldEnum),
}

const preferenceTable: Table<TopicSubscriptionPreference> = {
  name: 'topic_subscription_preferences',
  fields: Object.values(Prisma.TopicSubscriptionPreferenceScalarFieldEnum),
}

const preferencesOf = (tenant: Tenant, subscriptionIds: readonly string[]): Promise<TopicSubscriptionPreference[]> =>
  rowsWhere(tenant, preferenceTable, { field: 'subscriptionId', type: 'uuid' }, subscriptionIds, ['position'])

/** The preferences of subscriptions, in order. */
export const preferencesBySubscription = groupBatch(preferencesOf, ({ subscriptionId }) => subscriptionId)

export const subscriptionsById = rowBy(topicSubscriptionTable, { field: 'id', type: 'uuid' })

/** Selects subscriptions. Undefined fields match everything. */
export interface SubscriptionFilter {
  readonly topicKey?: readonly string[] | undefined
  readonly subscriberId?: readonly string[] | undefined
  /** The exact set of contexts, sorted, duplicates removed. */
  readonly contextKeys?: readonly string[] | undefined
  /** A part of the topic key or the subscriberId. If it is short, the beginning of one. */
  readonly search?: string | undefined
}

const searched = ['topic_key', 'subscriber_id']
const equal = equalTo<Omit<SubscriptionFilter, 'search'>>({
  topicKey: 'text',
  subscriberId: 'text',
  contextKeys: 'text[]',
})

/** A subscription, with its topic if the topic was read too. */
export type TopicSubscription = StoredSubscription & { readonly topic?: Topic }

const list = {
  name: 'topicSubscriptions',
  table: topicSubscriptionTable,
  texts: { name: `coalesce(nullif(child.name, ''), child.identifier)`, identifier: 'child.identifier' },
  where: ({ search, ...exact }: SubscriptionFilter) =>
    Prisma.sql`${equal(exact)} ${searchFor(search, { substring: searched, prefix: searched })}`,
  parts: (filter: SubscriptionFilter) => filterParts(filter, ['subscriberId', 'topicKey']),
  planForValues: ({ search }: SubscriptionFilter) => search !== undefined,
}

export const subscriptionPages = environmentPages<TopicSubscription, SubscriptionFilter>(list)

/** Pages of the subscriptions of topics, by topic key. */
export const pagesByTopic = pagesBy<TopicSubscription, SubscriptionFilter>(list, { field: 'topicKey' })

/** Pages of the subscriptions of subscribers, by subscriberId. */
export const pagesBySubscriber = pagesBy<TopicSubscription, SubscriptionFilter>(list, { field: 'subscriberId' })

/** Pages of the subscriptions with exactly one context, by its key. */
export const pagesByContext = pagesBy<TopicSubscription, SubscriptionFilter>(list, { by: 'context' })

const joined = { as: 'topic', table: topicTable, on: [{ field: 'key', equals: 'topicKey' }] }

/** The same pages, with the topics. */
export const pagesWithTopics = pagesBy<TopicSubscription, SubscriptionFilter>(
  { ...list, joined },
  { field: 'subscriberId' },
)

/** A subscription with its preferences, in order. */
export type Subscription = TopicSubscription & { readonly preferences: readonly TopicSubscriptionPreference[] }

/** Selects the subscriptions of a subscriber to any of these topics. */
export interface SubscriptionsKey {
  readonly subscriberId: string
  readonly topicKeys: readonly string[]
  /** The exact set of contexts, sorted, duplicates removed. */
  readonly contextKeys: readonly string[]
}

/** Subscriptions with their preferences: two statements for many subscribers. */
export const subscriptionsToTopics: Batch<SubscriptionsKey, readonly Subscription[]> = {
  cacheKey: (key) => JSON.stringify(key),
  async load(tenant, keys) {
    const found = await rowsOfKeys(
      tenant,
      topicSubscriptionTable,
      keys,
      Prisma.sql`"subscriberId" text, "topicKeys" text[], "contextKeys" text[]`,
      Prisma.sql`child.subscriber_id = given."subscriberId" AND child.topic_key = ANY (given."topicKeys")
        AND child.context_keys = given."contextKeys"`,
    )
    const ids = new Set(found.flat().map(({ id }) => id))
    const preferences = groupBy(await preferencesOf(tenant, [...ids]), ({ subscriptionId }) => subscriptionId)
    return found.map((rows) => rows.map((row) => ({ ...row, preferences: preferences.get(row.id) ?? [] })))
  },
}

export interface NewSubscription {
  readonly id: string
  readonly identifier: string
  readonly subscriberId: string
  readonly name: string | null
}

/**
 * Inserts subscriptions. Skips identifiers that already exist in the topic.
 *
 * @returns the inserted ids.
 */
export async function insertSubscriptions(
  tenant: Tenant,
  topicKey: string,
  contextKeys: readonly string[],
  subscriptions: readonly NewSubscription[],
  now: Date,
): Promise<string[]> {
  const rows = subscriptions.map((subscription) => ({ ...subscription, topicKey, contextKeys }))
  const inserted = await sql<{ id: string }>(tenant.db, 'topic-subscription.insertSubscriptions')`
    ${insertRows(topicSubscriptionTable, rows, createdIn(tenant, now))}
    ORDER BY given.identifier
    ON CONFLICT (environment_id, topic_key, identifier) DO NOTHING
    RETURNING id`
  return inserted.map(({ id }) => id)
}

/** A preference for one workflow, or for all that match the filter if `workflowId` is null. */
export interface NewPreference {
  readonly workflowId: string | null
  readonly filterWorkflowIds: readonly string[]
  readonly filterTags: readonly string[]
  readonly enabled: boolean
  readonly condition: JsonObject | null
}

/** Inserts the same preferences, in this order, for each of these subscriptions, which must not have any yet. */
export async function insertPreferences(
  { db, environmentId }: Tenant,
  subscriptionIds: readonly string[],
  preferences: readonly NewPreference[],
): Promise<void> {
  if (subscriptionIds.length === 0 || preferences.length === 0) return
  const entries = preferences.map((entry, position) => ({ ...entry, position }))
  await sqlCount(db, 'topic-subscription.insertPreferences')`
    ${insertRows(preferenceTable, entries, {
      environmentId: Prisma.sql`${environmentId}::uuid`,
      subscriptionId: Prisma.sql`subscription.id`,
    })}
    CROSS JOIN unnest(${subscriptionIds}::uuid[]) AS subscription(id)`
}

interface SubscriptionOfPage {
  readonly id: string
  readonly subscriberId: string
  readonly hasPreferences: boolean
}

/**
 * One page of a topic's subscribers under exactly these contexts, ordered by subscription id. Uses LIMIT, because with
 * EXISTS PostgreSQL may read the preferences of all subscriptions into a hash table.
 */
export async function subscriptionPage(
  { db, environmentId }: Tenant,
  {
    topicKey,
    contextKeys,
    after,
    take,
  }: {
    readonly topicKey: string
    readonly contextKeys: readonly string[]
    readonly after: string | null
    readonly take: number
  },
): Promise<readonly SubscriptionOfPage[]> {
  return sql<SubscriptionOfPage>(db, 'topic-subscription.subscriptionPage')`
    SELECT id, subscriber_id AS "subscriberId", (
      SELECT position FROM topic_subscription_preferences AS preference
      WHERE preference.environment_id = ${environmentId}::uuid AND preference.subscription_id = subscription.id
      LIMIT 1
    ) IS NOT NULL AS "hasPreferences"
    FROM topic_subscriptions AS subscription
    WHERE environment_id = ${environmentId}::uuid AND topic_key = ${topicKey}
      AND context_keys = ${[...contextKeys]}::text[] AND id > ${after ?? NIL_ID}::uuid
    ORDER BY id ${limitTo(take)}`
}

/** Deletes subscriptions, locked in the order of their ids. @returns how many there were. */
export const removeSubscriptions = ({ db, environmentId }: Tenant, ids: readonly string[]): Promise<number> =>
  sqlCount(db, 'topic-subscription.removeSubscriptions')`
    WITH held AS (
      SELECT id FROM topic_subscriptions
      WHERE environment_id = ${environmentId}::uuid AND id = ANY (${ids}::uuid[])
      ORDER BY id FOR UPDATE
    )
    DELETE FROM topic_subscriptions USING held
    WHERE topic_subscriptions.environment_id = ${environmentId}::uuid AND topic_subscriptions.id = held.id`
