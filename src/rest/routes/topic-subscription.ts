// Routes of topic subscriptions.
import { z } from 'zod'
import type { DoorScope } from '../../domain/resolver/door-scope.ts'
import { asObject } from '../../domain/channel/stored-json.ts'
import { expectedVersion } from '../../domain/resolver/version.ts'
import { createTopicSubscriptions } from '../../domain/subscribe.ts'
import { subscriberId } from '../../domain/subscriber-id.ts'
import { subscriber, subscriberOf } from '../../domain/subscriber.ts'
import {
  deleteTopicSubscriptions,
  type RowFailure,
  topicOf,
  type TopicSubscription,
  topicSubscription,
  topicSubscriptions,
  updateTopicSubscription,
} from '../../domain/topic-subscription.ts'
import { topic } from '../../domain/topic.ts'
import { Refusal } from '../../lib/errors.ts'
import { present } from '../../lib/present.ts'
import { errorObject, RefusalWithBody } from '../errors.ts'
import { asWarnings, warningsView } from '../ignored-fields.ts'
import { pageOfQuery, pageQuery, pageSchema, showPage } from '../page.ts'
import { route } from '../route.ts'
import { preferencePath, preferences, preferenceView, showPreferences } from './subscription-preference.ts'
import { bySubscriberId, byTopicKey, found, ownData, timestamp, topicPath } from '../views.ts'

export const subscriptionView = z
  .object({
    _id: z.string(),
    topic: z.object({ _id: z.string(), key: z.string(), name: z.string().optional(), data: ownData }),
    subscriber: z.object({
      _id: z.string(),
      subscriberId: z.string(),
      avatar: z.string().optional(),
      firstName: z.string().optional(),
      lastName: z.string().optional(),
      email: z.string().optional(),
    }),
    createdAt: timestamp,
    updatedAt: timestamp,
    identifier: z.string(),
    name: z.string().optional(),
    preferences: z.array(preferenceView),
    contextKeys: z.array(z.string()).meta({ description: 'Contexts, each as `<type>:<id>`, sorted.' }),
  })
  .meta({ id: 'TopicSubscription', description: 'A subscription of a subscriber to a topic, in one set of contexts.' })

export async function showSubscription(
  row: TopicSubscription,
  scope: DoorScope,
): Promise<z.input<typeof subscriptionView>> {
  const [topic, subscriber, preferences] = await Promise.all([
    topicOf(scope, row),
    subscriberOf(scope, row),
    showPreferences(scope, row),
  ])
  const { avatar, firstName, lastName, email } = subscriber
  return {
    _id: row.id,
    topic: { _id: topic.id, key: topic.key, ...present({ name: topic.name }), data: asObject(topic.data) },
    subscriber: {
      _id: subscriber.id,
      subscriberId: subscriber.subscriberId,
      ...present({ avatar, firstName, lastName, email }),
    },
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    identifier: row.identifier,
    ...present({ name: row.name }),
    preferences,
    contextKeys: row.contextKeys,
  }
}

const outcomeView = z
  .object({
    data: z.array(subscriptionView),
    meta: z.object({ totalCount: z.number().int(), successful: z.number().int(), failed: z.number().int() }),
    errors: z
      .array(z.object({ subscriberId: z.string().optional(), code: z.string(), message: z.string() }))
      .optional()
      .meta({ description: 'Items that failed.' }),
    warnings: warningsView,
  })
  .meta({ id: 'TopicSubscriptionsOutcome', description: 'Results of a bulk request.' })

const failedOutcome = errorObject
  .extend(outcomeView.shape)
  .meta({ id: 'TopicSubscriptionsRefused', description: 'Error if every item failed.' })

/** @throws RefusalWithBody if every item failed: a 400 with the same body (CALLERS: topic subscriptions). */
async function showOutcome(
  rows: readonly TopicSubscription[],
  failed: readonly RowFailure[],
  scope: DoorScope,
): Promise<z.input<typeof outcomeView>> {
  const outcome = {
    data: await Promise.all(rows.map((row) => showSubscription(row, scope))),
    meta: { totalCount: rows.length + failed.length, successful: rows.length, failed: failed.length },
    ...(failed.length > 0
      ? { errors: failed.map(({ subscriberId, code, message }) => ({ ...present({ subscriberId }), code, message })) }
      : {}),
  }
  if (rows.length === 0) throw new RefusalWithBody(new Refusal('MALFORMED', 'Every item failed'), outcome)
  return outcome
}

const byIdentifier = byTopicKey.extend({
  identifier: z.string().meta({ description: 'Identifier of the subscription, unique in the topic.' }),
})

const contextKeys = z.array(z.string()).optional().meta({
  description:
    'Filter by exactly these contexts, each as `<type>:<id>`, in any order. Empty for subscriptions without context.',
})

const { shape: createShape } = createTopicSubscriptions.definition.input
/** Items of a bulk request. Each is a subscriberId or an object. */
function itemsOf<Item extends z.ZodType>(item: Item) {
  return z.array(z.union([subscriberId.transform((subscriberId) => ({ subscriberId })), item]))
}

export const topicSubscriptionRoutes = [
  route({
    method: 'get',
    path: '/v2/topics/{topicKey}/subscriptions',
    summary: 'List the subscriptions of a topic',
    params: byTopicKey,
    query: pageQuery.extend({
      subscriberId: z.string().optional().meta({ description: 'Filter by subscriber.' }),
      contextKeys,
    }),
    resolver: topicSubscriptions,
    input: ({ params, query: { subscriberId, contextKeys, ...query } }) => ({
      ...pageOfQuery(query),
      filter: { ...params, subscriberId, contextKeys },
    }),
    nameOf: topicPath,
    statuses: [200],
    response: pageSchema(subscriptionView),
    async view(page, scope, { params: { topicKey } }) {
      found(await topic(scope, { key: topicKey }), 'Topic', topicKey)
      return showPage(scope, page, (row) => showSubscription(row, scope))
    },
  }),
  route({
    method: 'post',
    path: '/v2/topics/{topicKey}/subscriptions',
    summary: 'Subscribe up to 100 subscribers to a topic, which is created if it does not exist',
    example: { subscriptions: ['user-1'], preferences: ['welcome'] },
    params: byTopicKey,
    body: z.strictObject({
      subscriptions: itemsOf(createShape.subscriptions.element.strict()),
      name: createShape.name,
      preferences: preferences.nullish(),
      context: createShape.context,
    }),
    ignored: { subscriberIds: 'has no effect; send the subscribers in subscriptions' },
    resolver: createTopicSubscriptions,
    nameOf: preferencePath,
    statuses: [201],
    response: outcomeView,
    refusals: { 400: failedOutcome },
    async view({ subscriptions, failed }, scope, { warnings }) {
      return { ...(await showOutcome(subscriptions, failed, scope)), ...asWarnings(warnings) }
    },
  }),
  route({
    method: 'delete',
    path: '/v2/topics/{topicKey}/subscriptions',
    summary: 'Delete subscriptions of a topic',
    example: { subscriptions: ['user-1'] },
    params: byTopicKey,
    body: z.object({
      subscriptions: itemsOf(deleteTopicSubscriptions.definition.input.shape.subscriptions.element),
    }),
    resolver: deleteTopicSubscriptions,
    statuses: [200],
    response: outcomeView,
    refusals: { 400: failedOutcome },
    view: ({ deleted, failed }, scope) => showOutcome(deleted, failed, scope),
  }),
  route({
    method: 'get',
    path: '/v2/topics/{topicKey}/subscriptions/{identifier}',
    summary: 'Read a subscription',
    params: byIdentifier,
    resolver: topicSubscription,
    statuses: [200],
    version: (row) => row?.version,
    response: subscriptionView,
    view: (row, scope, { params }) => showSubscription(found(row, 'Subscription', params.identifier), scope),
  }),
  route({
    method: 'patch',
    path: '/v2/topics/{topicKey}/subscriptions/{identifier}',
    summary: 'Update the name and preferences of a subscription',
    example: {
      name: 'Daily',
      preferences: [{ workflowId: 'welcome', condition: { '==': [{ var: 'payload.plan' }, 'pro'] } }],
    },
    params: byIdentifier,
    body: z.strictObject({ name: createShape.name, preferences: preferences.optional(), expectedVersion }),
    conditional: true,
    resolver: updateTopicSubscription,
    nameOf: preferencePath,
    statuses: [200],
    version: ({ version }) => version,
    response: subscriptionView,
    view: showSubscription,
  }),
  route({
    method: 'get',
    path: '/v2/subscribers/{subscriberId}/subscriptions',
    operationId: 'topicSubscription.listOfSubscriber',
    summary: 'List the subscriptions of a subscriber',
    params: bySubscriberId,
    query: pageQuery.extend({
      key: z.string().optional().meta({ description: 'Filter by key of the topic.' }),
      contextKeys,
    }),
    resolver: topicSubscriptions,
    input: ({ params, query: { key, contextKeys, ...query } }) => ({
      ...pageOfQuery(query),
      filter: { ...params, topicKey: key, contextKeys },
    }),
    nameOf: (path) => (path[0] === 'topicKey' ? ['key'] : path),
    statuses: [200],
    response: pageSchema(subscriptionView),
    async view(page, scope, { params: { subscriberId } }) {
      found(await subscriber(scope, { subscriberId }), 'Subscriber', subscriberId)
      return showPage(scope, page, (row) => showSubscription(row, scope))
    },
  }),
]
