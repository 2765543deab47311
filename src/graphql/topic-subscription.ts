// Topic subscriptions, and their fields on topics and subscribers.
import type { ArgBuilder } from '@pothos/core'
import { contextsOf } from '../domain/context.ts'
import { createTopicSubscriptions, MAX_PER_TOPIC } from '../domain/subscribe.ts'
import { subscriberOf } from '../domain/subscriber.ts'
import { MAX_PREFERENCES, preferencesOf } from '../domain/subscription-preference.ts'
import {
  deleteTopicSubscriptions,
  type FailureCode as FailureCodeOfRow,
  MAX_ROWS,
  type RowFailure,
  subscriptionsOfSubscriber,
  subscriptionsOfTopic,
  topicOf,
  topicSubscription,
  type TopicSubscription as TopicSubscriptionRow,
  topicSubscriptions,
  updateTopicSubscription,
} from '../domain/topic-subscription.ts'
import { Context, ContextInput, readContexts } from './context.ts'
import { builder, type SchemaTypes } from './schema/builder.ts'
import { connectionOf, orderInput, pageRequestOf, toConnection } from './schema/connection.ts'
import { mutationField } from './schema/mutation.ts'
import { encodeNodeId } from './schema/node-id.ts'
import { calls } from './schema/resolver-extension.ts'
import { Subscriber } from './subscriber.ts'
import { readPreferences, SubscriptionPreference, SubscriptionPreferenceInput } from './subscription-preference.ts'
import { Topic } from './topic.ts'

export const TopicSubscription = builder.objectRef<TopicSubscriptionRow>('TopicSubscription')
builder.node(TopicSubscription, {
  description: 'A subscription of a subscriber to a topic, under one exact set of contexts.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, { scope }) => Promise.all(ids.map((id) => topicSubscription(scope, { id }))),
  fields: (t) => ({
    topic: t.field({
      type: Topic,
      description: 'The topic.',
      resolve: (subscription, _args, { scope }) => topicOf(scope, subscription),
    }),
    subscriber: t.field({
      type: Subscriber,
      description: 'The subscriber.',
      resolve: (subscription, _args, { scope }) => subscriberOf(scope, subscription),
    }),
    identifier: t.exposeString('identifier', {
      description:
        'The identifier, unique in the topic. It cannot change. Default: `tk=<topic key>:si=<subscriberId>`, followed by `:ctx=<context keys>` under contexts.',
    }),
    name: t.exposeString('name', { nullable: true, description: 'The display name. Null if none is set.' }),
    contextKeys: t.exposeStringList('contextKeys', {
      description: 'The keys of its contexts, each `<type>:<identifier>`, sorted.',
    }),
    contexts: t.field({
      type: [Context],
      description: 'Its contexts. Deleted ones are omitted.',
      resolve: (row, _args, { scope }) => contextsOf(scope, row),
    }),
    preferences: t.field({
      type: [SubscriptionPreference],
      description: `The preference entries, in the given order: at most ${MAX_PREFERENCES}.`,
      resolve: ({ id }, _args, { scope }) => preferencesOf(scope, { subscriptionId: id }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'The time of creation.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'The time of the last change of the name or the preferences.',
    }),
  }),
})

const TopicSubscriptionConnection = connectionOf(TopicSubscription, 'A page of topic subscriptions.')

const TopicSubscriptionFilter = builder.inputType('TopicSubscriptionFilter', {
  description: 'A filter for topic subscriptions. All conditions must match.',
  fields: (t) => ({
    topicKey: t.string({ description: 'The key of the topic.' }),
    subscriberId: t.string({ description: 'The ID of the subscriber.' }),
    contextKeys: t.stringList({
      description:
        'The exact set of context keys, each `<type>:<identifier>`, in any order. An empty list matches subscriptions without context.',
    }),
  }),
})
const TopicSubscriptionOrder = orderInput('TopicSubscription')

const listArgs = (arg: ArgBuilder<SchemaTypes>) => ({
  filter: arg({ type: TopicSubscriptionFilter, description: 'Filters the list. All conditions must match.' }),
  orderBy: arg({ type: TopicSubscriptionOrder, description: 'Sort order. Newest first by default.' }),
})

builder.queryFields((t) => ({
  topicSubscription: t.field({
    ...calls(topicSubscription),
    type: TopicSubscription,
    nullable: true,
    description: 'Finds a subscription to a topic by its identifier. Null if it does not exist.',
    args: {
      topicKey: t.arg.string({ required: true, description: 'The key of the topic.' }),
      identifier: t.arg.string({ required: true, description: 'The identifier of the subscription.' }),
    },
    resolve: (_root, args, { scope }) => topicSubscription(scope, args),
  }),
  topicSubscriptions: t.connection(
    {
      ...calls(topicSubscriptions),
      type: TopicSubscription,
      description: 'The topic subscriptions of the environment.',
      args: listArgs(t.arg),
      resolve: async (_root, { filter, orderBy, ...args }, { scope }) =>
        toConnection(await topicSubscriptions(scope, { filter, orderBy, page: pageRequestOf(args) })),
    },
    TopicSubscriptionConnection,
  ),
}))

builder.objectField(Topic, 'subscriptions', (t) =>
  t.connection(
    {
      type: TopicSubscription,
      description: 'The subscriptions to the topic.',
      args: listArgs(t.arg),
      resolve: async ({ key }, { filter, orderBy, ...args }, { scope }) =>
        toConnection(await subscriptionsOfTopic(scope, { topicKey: key, filter, orderBy, page: pageRequestOf(args) })),
    },
    TopicSubscriptionConnection,
  ),
)

builder.objectField(Subscriber, 'topicSubscriptions', (t) =>
  t.connection(
    {
      type: TopicSubscription,
      description: 'The topic subscriptions of the subscriber.',
      args: listArgs(t.arg),
      resolve: async ({ subscriberId }, { filter, orderBy, ...args }, { scope }) =>
        toConnection(
          await subscriptionsOfSubscriber(scope, { subscriberId, filter, orderBy, page: pageRequestOf(args) }),
        ),
    },
    TopicSubscriptionConnection,
  ),
)

const FailureCode = builder.enumType('TopicSubscriptionFailureCode', {
  description: 'The reason why an item of a bulk request failed.',
  values: {
    SUBSCRIBER_NOT_FOUND: { description: 'The subscriber does not exist.' },
    SUBSCRIPTION_NOT_FOUND: { description: 'The topic has no matching subscription.' },
    IDENTIFIER_TAKEN: {
      description: 'The topic has a subscription with this identifier, for another subscriber or under other contexts.',
    },
    LIMIT_REACHED: { description: `The subscriber already has ${MAX_PER_TOPIC} subscriptions to the topic.` },
  } as const satisfies Record<FailureCodeOfRow, unknown>,
})

const Failure = builder.objectRef<RowFailure>('TopicSubscriptionFailure').implement({
  description: 'An item of a bulk request that failed. Other items are not affected.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'The position in the input, from 0.' }),
    subscriberId: t.exposeString('subscriberId', {
      nullable: true,
      description: 'The subscriber ID of the item. Null if it has none.',
    }),
    identifier: t.exposeString('identifier', {
      nullable: true,
      description: 'The identifier of the item, given or default. Null if it has none.',
    }),
    code: t.expose('code', { type: FailureCode, description: 'The machine-readable error code.' }),
    message: t.exposeString('message', { description: 'The error message.' }),
  }),
})

const NewSubscription = builder.inputType('NewTopicSubscriptionInput', {
  description: 'One subscription of a bulk request.',
  fields: (t) => ({
    subscriberId: t.string({ required: true, description: 'The ID of an existing subscriber.' }),
    identifier: t.string({
      description:
        'The identifier: 1 to 255 characters, unique in the topic. Default: `tk=<topic key>:si=<subscriberId>`, followed by `:ctx=<context keys, sorted, separated by commas>` under contexts.',
    }),
    name: t.string({ description: 'The display name: at most 255 characters. Default: the `name` of the mutation.' }),
  }),
})

mutationField('createTopicSubscriptions', {
  description: `Subscribes 1 to ${MAX_ROWS} subscribers to a topic, which is created if it does not exist. Items fail independently; if all fail, nothing is written. An item with the identifier, subscriber and contexts of an existing subscription returns it unchanged.`,
  input: (t) => ({
    topicKey: t.string({
      required: true,
      description: 'The key of the topic: 1 to 255 letters, digits, `-`, `_` or `:`, or an e-mail address.',
    }),
    subscriptions: t.field({
      type: [NewSubscription],
      required: true,
      description: `1 to ${MAX_ROWS} subscriptions. A subscriber can have at most ${MAX_PER_TOPIC} to one topic.`,
    }),
    name: t.string({ description: 'The display name of items without a name: at most 255 characters.' }),
    preferences: t.field({
      type: [SubscriptionPreferenceInput],
      description: `The preferences of all subscriptions: at most ${MAX_PREFERENCES} entries. Default: none.`,
    }),
    contexts: t.field({ type: [ContextInput], description: 'The contexts of all subscriptions. Default: none.' }),
  }),
  resolver: createTopicSubscriptions,
  decode: ({ contexts, preferences, ...given }) => ({
    ...given,
    preferences: preferences && readPreferences(preferences),
    context: readContexts(contexts),
  }),
  payload: (t) => ({
    topicSubscriptions: t.field({
      type: [TopicSubscription],
      nullable: true,
      description: 'The subscriptions of the items that succeeded, in order. Null if the mutation failed.',
      resolve: ({ result }) => result && [...result.subscriptions],
    }),
    failed: t.field({
      type: [Failure],
      nullable: true,
      description: 'The items that failed. Null if the mutation failed.',
      resolve: ({ result }) => result && [...result.failed],
    }),
  }),
})

mutationField('updateTopicSubscription', {
  description: 'Updates the given fields of a topic subscription.',
  input: (t) => ({
    topicKey: t.string({ required: true, description: 'The key of the topic.' }),
    identifier: t.string({ required: true, description: 'The identifier of the subscription.' }),
    name: t.string({
      description: 'The display name: at most 255 characters. Absent does not change it, null clears it.',
    }),
    preferences: t.field({
      type: [SubscriptionPreferenceInput],
      description: `The preferences: at most ${MAX_PREFERENCES} entries, replacing all existing ones. Absent does not change them, null or an empty list clears them.`,
    }),
  }),
  resolver: updateTopicSubscription,
  decode: ({ preferences, ...given }) => ({
    ...given,
    preferences: preferences === undefined ? undefined : readPreferences(preferences ?? []),
  }),
  payload: (t) => ({
    topicSubscription: t.field({
      type: TopicSubscription,
      nullable: true,
      description: 'The updated subscription. Null if the mutation failed.',
      resolve: ({ result }) => result,
    }),
  }),
})

const SubscriptionAddress = builder.inputType('TopicSubscriptionAddressInput', {
  description:
    'Selects subscriptions of a topic. At least one field is required; a subscription must match both if both are set.',
  fields: (t) => ({
    subscriberId: t.string({
      description: 'The ID of the subscriber. Without an identifier, selects all of its subscriptions to the topic.',
    }),
    identifier: t.string({ description: 'The identifier of the subscription.' }),
  }),
})

mutationField('deleteTopicSubscriptions', {
  description: 'Deletes subscriptions to a topic. Items fail independently.',
  input: (t) => ({
    topicKey: t.string({ required: true, description: 'The key of the topic.' }),
    subscriptions: t.field({
      type: [SubscriptionAddress],
      required: true,
      description: `1 to ${MAX_ROWS} items. Each selects one subscription, or all of a subscriber.`,
    }),
  }),
  resolver: deleteTopicSubscriptions,
  decode: (input) => input,
  payload: (t) => ({
    deletedIds: t.field({
      type: ['ID'],
      nullable: true,
      description: 'The node IDs of the deleted subscriptions. Null if the mutation failed.',
      resolve: ({ result }) => result && result.deleted.map(({ id }) => encodeNodeId(TopicSubscription.name, id)),
    }),
    failed: t.field({
      type: [Failure],
      nullable: true,
      description: 'The items that matched no subscription. Null if the mutation failed.',
      resolve: ({ result }) => result && [...result.failed],
    }),
  }),
})
