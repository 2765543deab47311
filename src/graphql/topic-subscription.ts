// Topic subscriptions, and their fields on topics and subscribers.
import { contextsOf } from '../domain/context.ts'
import { createTopicSubscriptions, MAX_PER_TOPIC } from '../domain/subscribe.ts'
import { subscriberOf } from '../domain/subscriber.ts'
import { MAX_PREFERENCES, preferencesOf } from '../domain/subscription-preference.ts'
import {
  deleteTopicSubscriptions,
  type FailureCode as FailureCodeOfRow,
  MAX_ROWS,
  type RowFailure,
  subscriptionsOfContext,
  subscriptionsOfSubscriber,
  subscriptionsOfTopic,
  topicOf,
  topicSubscription,
  type TopicSubscription as TopicSubscriptionRow,
  topicSubscriptions,
  updateTopicSubscription,
} from '../domain/topic-subscription.ts'
import { Context, ContextInput, readContexts } from './context.ts'
import { addressOf } from './schema/address.ts'
import { builder, type InputFields } from './schema/builder.ts'
import { byIdentifier, byName, connectionOf, listArgs } from './schema/connection.ts'
import { mutationField, part } from './schema/mutation.ts'
import { encodeNodeId } from './schema/node-id.ts'
import { defineNode } from './schema/node.ts'
import { edge, edgeList, queryField, queryList } from './schema/query.ts'
import { Subscriber } from './subscriber.ts'
import {
  locatePreference,
  readPreferences,
  SubscriptionPreference,
  SubscriptionPreferenceInput,
} from './subscription-preference.ts'
import { Topic } from './topic.ts'
import {
  anyOfThe,
  byDefault,
  clearsIt,
  contextsIn,
  createdAt,
  exactContexts,
  expectedVersionOf,
  identifierOf,
  incrementedVersion,
  keyOf,
  keysIn,
  newestFirst,
  partOfEither,
  updatedAt,
} from './schema/wording.ts'

export const TopicSubscription = builder.objectRef<TopicSubscriptionRow>('TopicSubscription')
defineNode(TopicSubscription, {
  description: 'A subscription of a subscriber to a topic, under one exact set of contexts.',
  resolver: topicSubscription,
  fields: (t) => ({
    topic: edge(t, {
      description: 'The topic.',
      type: Topic,
      resolver: topicOf,
      decode: ({ topicKey }) => ({ topicKey }),
      known: ({ topic }) => topic,
    }),
    subscriber: edge(t, {
      description: 'The subscriber.',
      type: Subscriber,
      resolver: subscriberOf,
      decode: ({ subscriberId }) => ({ subscriberId }),
    }),
    identifier: t.exposeString('identifier', {
      description: `The identifier, unique in the topic. Never changes. ${byDefault('`tk=<topic key>:si=<subscriberId>`, followed by `:ctx=<context keys>` under contexts')}`,
    }),
    name: t.exposeString('name', { nullable: true, description: 'The display name. Null if none is set.' }),
    contextKeys: t.exposeStringList('contextKeys', {
      description: keysIn('topic subscription'),
    }),
    contexts: edge(t, {
      description: contextsIn('subscription'),
      type: [Context],
      resolver: contextsOf,
      decode: ({ contextKeys }) => ({ contextKeys }),
    }),
    preferences: edge(t, {
      description: `The preference entries, in the given order: at most ${MAX_PREFERENCES}.`,
      type: [SubscriptionPreference],
      resolver: preferencesOf,
      decode: ({ id }) => ({ subscriptionId: id }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: createdAt('topic subscription') }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: updatedAt('name or the preferences of the topic subscription'),
    }),
    version: t.exposeInt('version', { description: incrementedVersion }),
  }),
})

const TopicSubscriptionConnection = connectionOf(TopicSubscription, 'A page of topic subscriptions.')

/** The conditions of a filter. */
export const subscriptionConditions = (t: InputFields) => ({
  topicKey: t.string({ description: keyOf('topic') }),
  topicKeys: t.stringList({ description: anyOfThe('topics, by key') }),
  subscriberId: t.string({ description: 'The subscriberId of the subscriber.' }),
  subscriberIds: t.stringList({ description: anyOfThe('subscribers, by subscriberId') }),
  contextKeys: t.stringList({ description: exactContexts('subscriptions') }),
  search: t.string({ description: partOfEither('topic key', 'subscriberId') }),
})

const orders = { ...byName('identifier'), ...byIdentifier('IDENTIFIER', 'The identifier.') }
const subscriptionArgs = listArgs('TopicSubscription', subscriptionConditions, orders)

const names = { topicKey: keyOf('topic'), identifier: identifierOf('subscription') }
const named = addressOf(TopicSubscription, names)

queryField('topicSubscription', {
  description:
    'Finds a subscription to a topic by the key of the topic and its identifier, or by its node id. Null if it does not exist.',
  type: TopicSubscription,
  nullable: true,
  args: named.args,
  resolver: topicSubscription,
  decode: named.decode,
})

queryList('topicSubscriptions', {
  description: `The topic subscriptions of the environment. ${newestFirst}`,
  connection: TopicSubscriptionConnection,
  args: subscriptionArgs,
  resolver: topicSubscriptions,
})

builder.objectField(Topic, 'subscriptions', (t) =>
  edgeList(t, {
    description: `The subscriptions to the topic. ${newestFirst}`,
    connection: TopicSubscriptionConnection,
    args: subscriptionArgs,
    resolver: subscriptionsOfTopic,
    decode: ({ key }, args) => ({ ...args, topicKey: key }),
  }),
)

builder.objectField(Context, 'topicSubscriptions', (t) =>
  edgeList(t, {
    description: `The topic subscriptions with exactly this context. ${newestFirst}`,
    connection: TopicSubscriptionConnection,
    args: subscriptionArgs,
    resolver: subscriptionsOfContext,
    decode: ({ key }, args) => ({ ...args, key }),
  }),
)

builder.objectField(Subscriber, 'topicSubscriptions', (t) =>
  edgeList(t, {
    description: `The topic subscriptions of the subscriber. ${newestFirst}`,
    connection: TopicSubscriptionConnection,
    args: subscriptionArgs,
    resolver: subscriptionsOfSubscriber,
    decode: ({ subscriberId }, args, selects) => ({ ...args, subscriberId, withTopic: selects('topic') }),
  }),
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
    index: t.exposeInt('index', { description: 'The position of the item in the input, starting at 0.' }),
    subscriberId: t.exposeString('subscriberId', {
      nullable: true,
      description: 'The subscriberId of the item. Null if the item has none.',
    }),
    identifier: t.exposeString('identifier', {
      nullable: true,
      description: 'The identifier of the item, given or default. Null if the item has none.',
    }),
    code: t.expose('code', { type: FailureCode, description: 'The machine-readable error code.' }),
    message: t.exposeString('message', { description: 'The error message.' }),
  }),
})

const NewSubscription = builder.inputType('NewTopicSubscriptionInput', {
  description: 'One subscription in a bulk request.',
  fields: (t) => ({
    subscriberId: t.string({ required: true, description: 'The subscriberId of an existing subscriber.' }),
    identifier: t.string({
      description: `The identifier: 1 to 255 characters, unique in the topic. ${byDefault('`tk=<topic key>:si=<subscriberId>`, followed by `:ctx=<context keys, sorted, separated by commas>` under contexts')}`,
    }),
    name: t.string({
      description: `The display name: at most 255 characters. ${byDefault('the `name` of the mutation')}`,
    }),
  }),
})

mutationField('createTopicSubscriptions', {
  description: `Subscribes 1 to ${MAX_ROWS} subscribers to a topic, which is created if it does not exist. Items fail independently; if all fail, nothing is written. An item with the identifier, subscriber and contexts of an existing subscription returns it unchanged.`,
  input: (t) => ({
    topicKey: t.string({
      required: true,
      description: 'The key of the topic: 1 to 255 letters, digits, `-`, `_` or `:`, or an email address.',
    }),
    subscriptions: t.field({
      type: [NewSubscription],
      required: true,
      description: `1 to ${MAX_ROWS} subscriptions. A subscriber can have at most ${MAX_PER_TOPIC} to one topic.`,
    }),
    name: t.string({ description: 'The display name of items without a name: at most 255 characters.' }),
    preferences: t.field({
      type: [SubscriptionPreferenceInput],
      description: `The preferences of all subscriptions: at most ${MAX_PREFERENCES} entries. ${byDefault('none')}`,
    }),
    contexts: t.field({
      type: [ContextInput],
      description: `The contexts of all subscriptions in the request. ${byDefault('none')}`,
    }),
  }),
  resolver: createTopicSubscriptions,
  decode: ({ contexts, preferences, ...given }) => ({
    ...given,
    preferences: preferences && readPreferences(preferences),
    context: readContexts(contexts),
  }),
  locate: locatePreference,
  payload: {
    topicSubscriptions: (t) =>
      part(
        t,
        [TopicSubscription],
        'The subscriptions of the items that succeeded, in order.',
        ({ subscriptions }) => subscriptions,
      ),
    failed: (t) => part(t, [Failure], 'The items that failed.', ({ failed }) => failed),
  },
})

mutationField('updateTopicSubscription', {
  description: 'Updates the given fields of a topic subscription.',
  input: (t) => ({
    ...named.fields(t),
    expectedVersion: t.int({ description: expectedVersionOf('topic subscription') }),
    name: t.string({ description: `The display name: at most 255 characters. ${clearsIt}` }),
    preferences: t.field({
      type: [SubscriptionPreferenceInput],
      description: `The preferences: at most ${MAX_PREFERENCES} entries. Replaces all existing entries. Null or an empty list clears them.`,
    }),
  }),
  resolver: updateTopicSubscription,
  decode: ({ preferences, ...given }) => ({
    ...named.decode(given),
    preferences: preferences === undefined ? undefined : readPreferences(preferences ?? []),
  }),
  locate: locatePreference,
  payload: { topicSubscription: TopicSubscription },
})

const SubscriptionAddress = builder.inputType('TopicSubscriptionAddressInput', {
  description: 'Selects subscriptions of a topic. At least one field is required. All conditions must match.',
  fields: (t) => ({
    subscriberId: t.string({
      description:
        'The subscriberId of the subscriber. Without an identifier, the item selects all subscriptions of the subscriber to the topic.',
    }),
    identifier: t.string({ description: identifierOf('subscription') }),
  }),
})

const namedTopic = addressOf(Topic, { topicKey: keyOf('topic') }, 'topicId')

mutationField('deleteTopicSubscriptions', {
  description: 'Deletes subscriptions to a topic. Items fail independently.',
  input: (t) => ({
    ...namedTopic.fields(t),
    subscriptions: t.field({
      type: [SubscriptionAddress],
      required: true,
      description: `1 to ${MAX_ROWS} items. Each item selects one subscription, or all subscriptions of a subscriber.`,
    }),
  }),
  resolver: deleteTopicSubscriptions,
  decode: namedTopic.decode,
  payload: {
    deletedIds: (t) =>
      part(t, ['ID'], 'The node ids of the deleted subscriptions.', ({ deleted }) =>
        deleted.map(({ id }) => encodeNodeId(TopicSubscription.name, id)),
      ),
    failed: (t) => part(t, [Failure], 'The items that matched no subscription.', ({ failed }) => failed),
  },
})
