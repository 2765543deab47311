// Routes of topics and their subscriptions, as the client reads and writes them.
import { z } from 'zod'
import { createTopicSubscriptions } from '../../../../domain/subscribe.ts'
import { subscriberId } from '../../../../domain/subscriber-id.ts'
import { subscriberOf } from '../../../../domain/subscriber.ts'
import {
  deleteTopicSubscriptions,
  topicOf,
  topicSubscription,
  topicSubscriptions,
} from '../../../../domain/topic-subscription.ts'
import { Refusal } from '../../../../lib/errors.ts'
import { preferencePath, preferences } from '../../../routes/subscription-preference.ts'
import {
  failedOutcome,
  itemsOf,
  outcomeView,
  showOutcome,
  showSubscription,
  subscriptionView,
  topicSubscriptionRoutes,
} from '../../../routes/topic-subscription.ts'
import { topicRoutes } from '../../../routes/topic.ts'
import { byTopicKey, found } from '../../../views.ts'
import { route } from '../../../route.ts'
import { reuse } from '../../../vocabulary.ts'
import { prefix } from '../words/prefix.ts'

const { shape } = createTopicSubscriptions.definition.input

/** The older name of `subscriptions`. */
const subscriberIds = z.array(subscriberId).optional().meta({ description: 'Older name of `subscriptions`.' })

/** Subscribers under both names. */
const both = <Item>(items: readonly Item[] | undefined, ids: readonly string[] | undefined) => [
  ...(items ?? []),
  ...(ids ?? []).map((id) => ({ subscriberId: id })),
]

const namesOfSubscriptions = 'must be given, or subscriberIds'
type Named = { readonly subscriptions?: unknown; readonly subscriberIds?: unknown }
const hasSubscriptions = ({ subscriptions, subscriberIds }: Named) =>
  subscriptions !== undefined || subscriberIds !== undefined

export const novuTopicRoutes = [
  ...reuse(prefix, topicRoutes, [
    'GET /v2/topics',
    'POST /v2/topics',
    'GET /v2/topics/{topicKey}',
    'PATCH /v2/topics/{topicKey}',
    'DELETE /v2/topics/{topicKey}',
  ]),
  ...reuse(prefix, topicSubscriptionRoutes, [
    'GET /v2/topics/{topicKey}/subscriptions',
    'PATCH /v2/topics/{topicKey}/subscriptions/{identifier}',
    'GET /v2/subscribers/{subscriberId}/subscriptions',
  ]),
  route({
    method: 'post',
    path: `${prefix}/v2/topics/{topicKey}/subscriptions`,
    summary: 'Subscribe up to 100 subscribers to a topic, which is created if it does not exist',
    example: { subscriptions: ['user-1'], preferences: ['welcome'] },
    params: byTopicKey,
    body: z
      .strictObject({
        subscriptions: itemsOf(shape.subscriptions.element).optional(),
        subscriberIds,
        name: shape.name,
        preferences: preferences.nullish(),
        context: shape.context,
      })
      .refine(hasSubscriptions, { path: ['subscriptions'], message: namesOfSubscriptions }),
    resolver: createTopicSubscriptions,
    input: ({ params, body: { subscriptions, subscriberIds, ...given } }) => ({
      ...params,
      ...given,
      subscriptions: both(subscriptions, subscriberIds),
    }),
    nameOf: preferencePath,
    statuses: [201],
    response: outcomeView,
    refusals: { 400: failedOutcome },
    view: ({ subscriptions, failed }, scope) => showOutcome(subscriptions, failed, scope),
  }),
  route({
    method: 'delete',
    path: `${prefix}/v2/topics/{topicKey}/subscriptions`,
    summary: 'Delete subscriptions of a topic',
    example: { subscriptions: ['user-1'] },
    params: byTopicKey,
    body: z
      .object({
        subscriptions: itemsOf(deleteTopicSubscriptions.definition.input.shape.subscriptions.element).optional(),
        subscriberIds,
      })
      .refine(hasSubscriptions, { path: ['subscriptions'], message: namesOfSubscriptions }),
    resolver: deleteTopicSubscriptions,
    input: ({ params, body: { subscriptions, subscriberIds } }) => ({
      ...params,
      subscriptions: both(subscriptions, subscriberIds),
    }),
    statuses: [200],
    response: outcomeView,
    refusals: { 400: failedOutcome },
    view: ({ deleted, failed }, scope) => showOutcome(deleted, failed, scope),
  }),
  route({
    method: 'get',
    path: `${prefix}/v2/topics/{topicKey}/subscriptions/{identifier}`,
    summary: 'Read a subscription',
    params: byTopicKey.extend({
      identifier: z.string().meta({ description: 'Identifier of the subscription, unique in the topic.' }),
    }),
    resolver: topicSubscription,
    statuses: [200],
    response: subscriptionView.extend({ id: z.string() }).meta({
      id: 'NovuTopicSubscription',
      description: 'A subscription of a subscriber to a topic.',
    }),
    async view(row, scope, { params }) {
      const own = found(row, 'Subscription', params.identifier)
      return { ...(await showSubscription(own, scope)), id: own.id }
    },
  }),
  route({
    method: 'get',
    path: `${prefix}/v1/topics/{topicKey}/subscribers/{subscriberId}`,
    operationId: 'topicSubscription.check',
    summary: 'Check whether a subscriber is subscribed to a topic',
    params: byTopicKey.extend({ subscriberId: z.string().meta({ description: 'Id of the subscriber.' }) }),
    resolver: topicSubscriptions,
    input: ({ params }) => ({ page: { first: 1 }, filter: params }),
    statuses: [200],
    response: z
      .object({
        _organizationId: z.string(),
        _environmentId: z.string(),
        _subscriberId: z.string(),
        _topicId: z.string(),
        topicKey: z.string(),
        externalSubscriberId: z.string(),
      })
      .meta({ id: 'NovuTopicSubscriber', description: 'A subscriber of a topic.' }),
    async view({ rows: [row] }, scope, { params }) {
      if (row === undefined) {
        throw new Refusal('NOT_FOUND', `"${params.subscriberId}" is not subscribed to topic "${params.topicKey}"`)
      }
      const [topic, subscriber] = await Promise.all([topicOf(scope, row), subscriberOf(scope, row)])
      return {
        _organizationId: scope.caller.organizationId,
        _environmentId: row.environmentId,
        _subscriberId: subscriber.id,
        _topicId: topic.id,
        topicKey: topic.key,
        externalSubscriberId: subscriber.subscriberId,
      }
    },
  }),
]
