// Creates topic subscriptions in bulk. Each item succeeds or fails alone.
import { z } from 'zod'
import { keepTopic, lockSubscribers } from '../data/lock.ts'
import { insertPreferences, insertSubscriptions, type NewSubscription } from '../data/topic-subscription.ts'
import { idText } from '../lib/validation.ts'
import { contextInput, contextKeysOf, ensureContexts } from './context.ts'
import { mutation } from './resolver/resolver.ts'
import type { Scope } from './resolver/scope.ts'
import { subscriberId } from './subscriber-id.ts'
import { newPreferences, preferenceEntries } from './subscription-preference.ts'
import {
  type FailureCode,
  MAX_ROWS,
  type RowFailure,
  subscriptionName,
  type TopicSubscription,
} from './topic-subscription.ts'
import { ensureTopic, topicKey } from './topic.ts'

/** Subscriptions of subscribers to one topic. */
export const MAX_PER_TOPIC = 10

const messages = {
  SUBSCRIBER_NOT_FOUND: (_topicKey, { subscriberId }) => `Subscriber "${subscriberId}" not found`,
  IDENTIFIER_TAKEN: (topicKey, { identifier }) =>
    `Topic "${topicKey}" has a subscription "${identifier}" with another subscriber or other contexts`,
  LIMIT_REACHED: (topicKey, { subscriberId }) =>
    `Subscriber "${subscriberId}" already has ${MAX_PER_TOPIC} subscriptions to the topic "${topicKey}", the maximum`,
} as const satisfies Partial<Record<FailureCode, (topicKey: string, row: NewSubscription) => string>>

/** Returns the default identifier, one per set of contexts (SPEC: Topic subscription). */
export function defaultIdentifier(topicKey: string, subscriberId: string, contextKeys: readonly string[]): string {
  const scope = contextKeys.length > 0 ? `:ctx=${contextKeys.join(',')}` : ''
  return `tk=${topicKey}:si=${subscriberId}${scope}`
}

interface CreatedSubscriptions {
  /** One per item that did not fail, in order. Existing subscriptions are unchanged. */
  readonly subscriptions: readonly TopicSubscription[]
  readonly failed: readonly RowFailure[]
}

/**
 * Subscribes many subscribers to a topic, which is created if missing. Invalid items fail alone. An existing
 * subscription with the same identifier, subscriber and contexts is returned unchanged. If every item fails, nothing is
 * written.
 */
export const createTopicSubscriptions = mutation({
  name: 'topicSubscription.create',
  permission: 'topicSubscription:write',
  owner: null,
  input: z.object({
    topicKey,
    subscriptions: z
      .array(z.object({ subscriberId, identifier: idText(255).nullish(), name: subscriptionName }))
      .min(1)
      .max(MAX_ROWS),
    name: subscriptionName,
    preferences: preferenceEntries.nullish(),
    context: contextInput,
  }),
  async run(scope, { topicKey, subscriptions, name, preferences, context }): Promise<CreatedSubscriptions> {
    const contextKeys = contextKeysOf(context)
    const rows = subscriptions.map((row): NewSubscription => ({
      id: scope.newId(),
      identifier: row.identifier ?? defaultIdentifier(topicKey, row.subscriberId, contextKeys),
      subscriberId: row.subscriberId,
      name: row.name ?? name ?? null,
    }))
    return writeSubscriptions(scope, rows, {
      ...{ topicKey, contextKeys, preferences },
      createTopic: () => ensureTopic(scope, topicKey),
      createContexts: () => ensureContexts(scope, context),
    })
  },
})

interface Subscribing {
  readonly topicKey: string
  readonly contextKeys: readonly string[]
  readonly preferences: z.output<typeof preferenceEntries> | null | undefined
  /** Creates the missing topic, and locks it. */
  readonly createTopic: () => Promise<unknown>
  /** Creates the missing contexts. */
  readonly createContexts: () => Promise<unknown>
}

/** Writes the subscriptions that do not exist, in a transaction. If every row fails, nothing is written. */
export async function writeSubscriptions(
  scope: Scope,
  rows: readonly NewSubscription[],
  { topicKey, contextKeys, preferences, createTopic, createContexts }: Subscribing,
): Promise<CreatedSubscriptions> {
  const plan = await planRows(scope, topicKey, rows)
  if (plan.missing.length > 0) {
    if (!plan.topicExists) await createTopic()
    const ids = await insertSubscriptions(scope, topicKey, contextKeys, plan.missing, scope.now())
    // Concurrent writes may have taken every identifier. In that case they created the topic, and nothing else is
    // written.
    if (ids.length > 0) {
      await createContexts()
      await insertPreferences(scope, ids, await newPreferences(scope, preferences ?? []))
    }
  }
  return outcomeOf(scope, topicKey, contextKeys, rows, plan.refusals)
}

type RowRefusals = ReadonlyMap<NewSubscription, keyof typeof messages>

/** Decides which rows to write and which fail. Locks the subscribers, so that the limit holds. */
async function planRows(scope: Scope, topicKey: string, rows: readonly NewSubscription[]) {
  const { db, environmentId } = scope
  const subscriberIds = await lockSubscribers(
    scope,
    rows.map(({ subscriberId }) => subscriberId),
  )
  const topicExists = await keepTopic(scope, topicKey)
  const identifier = { in: rows.map(({ identifier }) => identifier) }
  const existing = await db.topicSubscription.findMany({
    where: { environmentId, topicKey, OR: [{ subscriberId: { in: [...subscriberIds] } }, { identifier }] },
    select: { identifier: true, subscriberId: true },
  })
  const identifiers = new Set(existing.map(({ identifier }) => identifier))
  const counts = new Map<string, number>()
  for (const { subscriberId } of existing) counts.set(subscriberId, (counts.get(subscriberId) ?? 0) + 1)

  const missing: NewSubscription[] = []
  const refusals = new Map<NewSubscription, keyof typeof messages>()
  for (const row of rows) {
    const count = counts.get(row.subscriberId) ?? 0
    if (!subscriberIds.has(row.subscriberId)) refusals.set(row, 'SUBSCRIBER_NOT_FOUND')
    else if (identifiers.has(row.identifier)) continue
    else if (count >= MAX_PER_TOPIC) refusals.set(row, 'LIMIT_REACHED')
    else {
      missing.push(row)
      identifiers.add(row.identifier)
      counts.set(row.subscriberId, count + 1)
    }
  }
  return { topicExists, missing, refusals }
}

/** Returns the result of each row. An identifier may have been taken before or by a concurrent write. */
async function outcomeOf(
  { db, environmentId }: Scope,
  topicKey: string,
  contextKeys: readonly string[],
  rows: readonly NewSubscription[],
  refusals: RowRefusals,
): Promise<CreatedSubscriptions> {
  const found = await db.topicSubscription.findMany({
    where: { environmentId, topicKey, identifier: { in: rows.map(({ identifier }) => identifier) } },
  })
  const byIdentifier = new Map(found.map((row) => [row.identifier, row]))
  const subscriptions: TopicSubscription[] = []
  const failed: RowFailure[] = []
  for (const [index, row] of rows.entries()) {
    const { subscriberId, identifier } = row
    const kept = byIdentifier.get(identifier)
    const isSame = kept?.subscriberId === subscriberId && String(kept.contextKeys) === String(contextKeys)
    const code = refusals.get(row) ?? (isSame ? undefined : 'IDENTIFIER_TAKEN')
    if (code) failed.push({ index, subscriberId, identifier, code, message: messages[code](topicKey, row) })
    else if (kept) subscriptions.push(kept)
  }
  return { subscriptions, failed }
}
