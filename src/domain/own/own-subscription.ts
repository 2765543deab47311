// A subscriber's own topic subscriptions, under one exact set of contexts: what browser sessions can read and change.
import { z } from 'zod'
import { keepWorkflows } from '../../data/lock.ts'
import { pagesBySubscriber, removeSubscriptions, type TopicSubscription } from '../../data/topic-subscription.ts'
import { refuse } from '../../lib/errors.ts'
import { MAX_PAGE_SIZE } from '../../lib/page.ts'
import { idText, storableText, text } from '../../lib/validation.ts'
import { contextKeys, ensureContextKeys } from '../context.ts'
import { mutation, type Owner, query } from '../resolver/resolver.ts'
import type { Scope } from '../resolver/scope.ts'
import { defaultIdentifier, writeSubscriptions } from '../subscribe.ts'
import {
  entrySettings,
  MAX_PREFERENCES,
  preferenceEntries,
  type PreferenceEntry,
  withEntryFor,
  workflowName,
} from '../subscription-preference.ts'
import {
  changeSubscription,
  identifierLookup,
  type OwnerFilter,
  subscriptionName,
  subscriptionNotFound,
} from '../topic-subscription.ts'
import { ensureTopic, topicKey, topicKeyLookup, topicNotFound } from '../topic.ts'
import { workflowNotFound } from '../workflow.ts'

const owned = z.object({ subscriberId: storableText, contextKeys })
const named = owned.extend({ topicKey: topicKeyLookup, identifier: identifierLookup })

const filterOf = ({ subscriberId, contextKeys }: Owner): OwnerFilter => ({
  subscriberId,
  contextKeys: { equals: [...contextKeys] },
})

/** Lists the subscriptions of an owner to a topic, newest first. Empty if the topic does not exist. Batched. */
export const ownTopicSubscriptions = query({
  name: 'topicSubscription.listOwn',
  permission: 'topicSubscription:read',
  input: owned.extend({ topicKey: topicKeyLookup }),
  owner: (owner) => owner,
  async run({ load }, { subscriberId, contextKeys, topicKey }): Promise<readonly TopicSubscription[]> {
    const { rows } = await load(pagesBySubscriber, {
      parent: subscriberId,
      page: { first: MAX_PAGE_SIZE },
      orderBy: { field: 'createdAt', direction: 'desc' },
      filter: { topicKey: [topicKey], contextKeys },
    })
    return rows
  },
})

/** Finds a subscription of an owner. Null if it does not exist or has another owner. */
export const ownTopicSubscription = query({
  name: 'topicSubscription.getOwn',
  permission: 'topicSubscription:read',
  input: named,
  owner: (owner) => owner,
  run: ({ db, environmentId }, { topicKey, identifier, ...owner }): Promise<TopicSubscription | null> =>
    db.topicSubscription.findFirst({ where: { environmentId, topicKey, identifier, ...filterOf(owner) } }),
})

/** How default identifiers begin. */
const DEFAULT_PREFIX = 'tk='

/** @throws Refusal `INVALID` if an identifier could be the default one of another subscriber, who could not have it then. */
function assertFree(identifier: string, byDefault: string): void {
  if (!identifier.startsWith(DEFAULT_PREFIX) || identifier === byDefault) return
  const message = `identifier must not begin with "${DEFAULT_PREFIX}", unless it is the default "${byDefault}"`
  throw refuse('INVALID', message, 'identifier', identifier)
}

/**
 * Subscribes an owner to a topic. A missing topic is created with the given name, but not by an unsigned session, which
 * anyone can open. An existing subscription with the same identifier is returned unchanged.
 *
 * @throws Refusal `NOT_FOUND`, or `CONFLICT` if the identifier is taken or the subscriber has too many subscriptions.
 */
export const subscribeToTopic = mutation({
  name: 'topicSubscription.subscribe',
  permission: 'topicSubscription:write',
  input: owned.extend({
    topicKey,
    /** Only of a new topic. */
    topicName: text(255).nullish(),
    identifier: idText(255).nullish(),
    name: subscriptionName,
    preferences: preferenceEntries.nullish(),
  }),
  owner: (owner) => owner,
  async run(scope, { topicKey, topicName, preferences, ...given }): Promise<TopicSubscription> {
    const { subscriberId, contextKeys, name = null } = given
    const byDefault = defaultIdentifier(topicKey, subscriberId, contextKeys)
    const identifier = given.identifier ?? byDefault
    assertFree(identifier, byDefault)
    const { caller } = scope
    const row = { id: scope.newId(), identifier, subscriberId, name }
    const { subscriptions, failed } = await writeSubscriptions(scope, [row], {
      ...{ topicKey, contextKeys, preferences },
      async createTopic() {
        if (caller.kind === 'session' && caller.isUnsigned) throw topicNotFound(topicKey, 'topicKey')
        await ensureTopic(scope, topicKey, { name: topicName })
      },
      createContexts: () => ensureContextKeys(scope, contextKeys),
    })
    const [failure] = failed
    if (failure !== undefined) {
      if (failure.code === 'SUBSCRIBER_NOT_FOUND') throw refuse('NOT_FOUND', failure.message, 'subscriberId')
      throw refuse('CONFLICT', failure.message, failure.code === 'IDENTIFIER_TAKEN' ? 'identifier' : 'topicKey')
    }
    const [subscription] = subscriptions
    if (subscription === undefined) throw new Error('a subscription was neither written nor refused')
    return subscription
  },
})

/**
 * Changes the given fields of a subscription of an owner. Null clears the name, and `preferences` replaces all entries.
 *
 * @throws Refusal `NOT_FOUND`, also if it has another owner.
 */
export const updateOwnTopicSubscription = mutation({
  name: 'topicSubscription.updateOwn',
  permission: 'topicSubscription:write',
  input: named.extend({ name: subscriptionName, preferences: preferenceEntries.optional() }),
  owner: (owner) => owner,
  run: (scope, { topicKey, identifier, name, preferences, ...owner }): Promise<TopicSubscription> =>
    changeSubscription(scope, { topicKey, identifier }, { name, preferences }, { owner: filterOf(owner) }),
})

/** Finds a subscription of an owner, of whatever topic if none is named. @throws Refusal `NOT_FOUND`, or `INVALID` */
async function requireOwn(
  { db, environmentId }: Scope,
  { topicKey, identifier, ...owner }: Owner & { readonly topicKey?: string | null; readonly identifier: string },
): Promise<TopicSubscription> {
  const where = { environmentId, identifier, ...(topicKey && { topicKey }), ...filterOf(owner) }
  const [found, other] = await db.topicSubscription.findMany({ where, take: 2 })
  if (other !== undefined) {
    const message = `identifier names subscriptions to several topics: "${identifier}"`
    throw refuse('INVALID', message, 'identifier', identifier)
  }
  if (found !== undefined) return found
  if (topicKey) throw subscriptionNotFound({ topicKey, identifier })
  throw refuse('NOT_FOUND', `Topic subscription "${identifier}" not found`, 'identifier', identifier)
}

/** A change of the entry for one workflow. */
const entryChange = z.object({ workflowId: workflowName, ...entrySettings })

/**
 * Changes the entries of a subscription of an owner for single workflows. An absent field keeps its value, and null
 * removes a condition. A workflow without an entry gets one, and a workflow in a group leaves it.
 *
 * @throws Refusal `NOT_FOUND`, also if a workflow does not exist. Nothing is written then.
 */
export const updateOwnSubscriptionPreferences = mutation({
  name: 'topicSubscription.updateOwnPreferences',
  permission: 'topicSubscription:write',
  input: owned.extend({
    /** Can be absent, unless the owner has several subscriptions with the identifier. */
    topicKey: topicKeyLookup.nullish(),
    identifier: identifierLookup,
    preferences: z.array(entryChange).min(1).max(MAX_PREFERENCES),
  }),
  owner: (owner) => owner,
  async run(scope, { preferences, ...named }): Promise<TopicSubscription> {
    const { topicKey, identifier } = await requireOwn(scope, named)
    return changeSubscription(
      scope,
      { topicKey, identifier },
      { preferences: (stored) => edited(scope, stored, preferences) },
      // It may have been deleted since, and created again by someone else.
      { owner: filterOf(named) },
    )
  },
})

/** Returns the stored entries with changes for single workflows, which are locked. @throws Refusal */
async function edited(
  scope: Scope,
  stored: readonly PreferenceEntry[],
  changes: readonly z.output<typeof entryChange>[],
): Promise<readonly PreferenceEntry[]> {
  const names = changes.map(({ workflowId }) => workflowId)
  const kept = await keepWorkflows(scope, names)
  let entries = stored
  for (const [index, { workflowId, ...change }] of changes.entries()) {
    const workflow = kept.find(({ id, identifier }) => id === workflowId || identifier === workflowId)
    if (workflow === undefined) throw workflowNotFound(workflowId, `preferences.${index}.workflowId`)
    entries = withEntryFor(entries, workflow.id, change)
  }
  if (entries.length <= MAX_PREFERENCES) return entries
  const message = `preferences must not exceed ${MAX_PREFERENCES} entries of the subscription`
  throw refuse('INVALID', message, 'preferences')
}

/** Deletes a subscription of an owner. @throws Refusal `NOT_FOUND`, also if it has another owner. */
export const unsubscribeFromTopic = mutation({
  name: 'topicSubscription.unsubscribe',
  permission: 'topicSubscription:write',
  input: named,
  owner: (owner) => owner,
  async run(scope, named): Promise<TopicSubscription> {
    const found = await requireOwn(scope, named)
    if ((await removeSubscriptions(scope, [found.id])) === 0) throw subscriptionNotFound(named)
    return found
  },
})
