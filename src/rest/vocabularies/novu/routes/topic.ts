// Routes of topics and their subscriptions, as the client reads and writes them.
import { z } from 'zod'
import { subscriberOf } from '../../../../domain/subscriber.ts'
import { topicOf, topicSubscription, topicSubscriptions } from '../../../../domain/topic-subscription.ts'
import { Refusal } from '../../../../lib/errors.ts'
import { showSubscription, subscriptionView, topicSubscriptionRoutes } from '../../../routes/topic-subscription.ts'
import { topicRoutes } from '../../../routes/topic.ts'
import { byTopicKey, found } from '../../../views.ts'
import { route, type Route } from '../../../route.ts'
import { reuse, withBody } from '../../../vocabulary.ts'
import { prefix } from '../words/prefix.ts'

const list = z.array(z.unknown())

/** Puts `subscriberIds`, the older name, into `subscriptions`, whose items may be ids. */
function withIds(given: unknown): unknown {
  const { data } = z.looseObject({ subscriptions: list.optional(), subscriberIds: list }).safeParse(given)
  if (data === undefined) return given
  const { subscriptions = [], subscriberIds, ...body } = data
  return { ...body, subscriptions: [...subscriptions, ...subscriberIds] }
}

/** Returns a route that accepts `subscriberIds` too. */
function alsoByIds(route: Route): Route {
  const { body } = route
  if (!(body instanceof z.ZodObject)) throw new Error(`${route.name} has no body with fields`)
  const subscriberIds = z.array(z.string()).optional().meta({ description: 'Older name of `subscriptions`.' })
  return withBody(route, body.partial().extend({ subscriberIds }), withIds)
}

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
  ...reuse(prefix, topicSubscriptionRoutes, [
    'POST /v2/topics/{topicKey}/subscriptions',
    'DELETE /v2/topics/{topicKey}/subscriptions',
  ]).map(alsoByIds),
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
