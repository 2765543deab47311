// Topic subscriptions in the graph, from their topics and subscribers too.
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
  description: 'A subscriber in a topic, under exactly one set of contexts.',
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
        'Unique in the topic, and never changed: `tk=<topic key>:si=<subscriberId>`, under contexts followed by `:ctx=<their keys>`, unless it was chosen.',
    }),
    name: t.exposeString('name', { nullable: true, description: 'Its name, for people. Null when it has none.' }),
    contextKeys: t.exposeStringList('contextKeys', {
      description: 'The keys of the contexts that scope it, each `<type>:<identifier>`, sorted. Empty when none does.',
    }),
    contexts: t.field({
      type: [Context],
      description: 'The contexts that scope it, without those that were deleted.',
      resolve: (row, _args, { scope }) => contextsOf(scope, row),
    }),
    preferences: t.field({
      type: [SubscriptionPreference],
      description: `Which workflows it wants, in the order given: at most ${MAX_PREFERENCES} entries. Empty when nothing was said.`,
      resolve: ({ id }, _args, { scope }) => preferencesOf(scope, { subscriptionId: id }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When its name or preferences were last changed.',
    }),
  }),
})

const TopicSubscriptionConnection = connectionOf(TopicSubscription, 'A page of topic subscriptions.')

const TopicSubscriptionFilter = builder.inputType('TopicSubscriptionFilter', {
  description: 'Which topic subscriptions: those that meet all that is given.',
  fields: (t) => ({
    topicKey: t.string({ description: 'Those to the topic of this key.' }),
    subscriberId: t.string({ description: 'Those of the subscriber of this id.' }),
    contextKeys: t.stringList({
      description:
        'Those under exactly these contexts, in whichever order, each `<type>:<identifier>`. An empty list means those under none.',
    }),
  }),
})
const TopicSubscriptionOrder = orderInput('TopicSubscription')

const listArgs = (arg: ArgBuilder<SchemaTypes>) => ({
  filter: arg({ type: TopicSubscriptionFilter, description: 'Which ones. Absent means all.' }),
  orderBy: arg({ type: TopicSubscriptionOrder, description: 'In which order. Absent means newest first.' }),
})

builder.queryFields((t) => ({
  topicSubscription: t.field({
    ...calls(topicSubscription),
    type: TopicSubscription,
    nullable: true,
    description: 'The subscription of this identifier to this topic. Null when it does not exist.',
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
      description: 'The topic subscriptions of the environment, newest first unless ordered otherwise.',
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
      description: 'Who is subscribed to it, newest first unless ordered otherwise.',
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
      description: 'What it is subscribed to, newest first unless ordered otherwise.',
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
  description: 'Why a row failed, for programs.',
  values: {
    SUBSCRIBER_NOT_FOUND: { description: 'There is no such subscriber.' },
    SUBSCRIPTION_NOT_FOUND: { description: 'The topic has no such subscription.' },
    IDENTIFIER_TAKEN: {
      description: 'The topic has a subscription of that identifier, of another subscriber or under other contexts.',
    },
    LIMIT_REACHED: { description: `The subscriber has ${MAX_PER_TOPIC} subscriptions to the topic.` },
  } as const satisfies Record<FailureCodeOfRow, unknown>,
})

const Failure = builder.objectRef<RowFailure>('TopicSubscriptionFailure').implement({
  description: 'A row that failed. The others did not.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'Its place in the input, from 0.' }),
    subscriberId: t.exposeString('subscriberId', {
      nullable: true,
      description: 'The subscriberId that it names. Null when it names none.',
    }),
    identifier: t.exposeString('identifier', {
      nullable: true,
      description: 'The identifier that it names, or would have got. Null when it names none.',
    }),
    code: t.expose('code', { type: FailureCode, description: 'Why it failed, for programs.' }),
    message: t.exposeString('message', { description: 'Why it failed, for people.' }),
  }),
})

const NewSubscription = builder.inputType('NewTopicSubscriptionInput', {
  description: 'One subscription of many.',
  fields: (t) => ({
    subscriberId: t.string({ required: true, description: 'The subscriber, who must exist.' }),
    identifier: t.string({
      description:
        'Its identifier: 1 to 255 characters, unique in the topic. Absent means `tk=<topic key>:si=<subscriberId>`, under contexts followed by `:ctx=<their keys, sorted and joined by commas>`.',
    }),
    name: t.string({ description: 'Its name: at most 255 characters. Absent means the name that is given for all.' }),
  }),
})

mutationField('createTopicSubscriptions', {
  description: `Subscribes 1 to ${MAX_ROWS} subscribers to a topic, which is made when it does not exist. A row fails alone; when all of them do, nothing is written. The same identifier, subscriber and contexts again are the subscription that exists, as it is.`,
  input: (t) => ({
    topicKey: t.string({
      required: true,
      description: 'The topic: 1 to 255 letters, digits, `-`, `_` and `:`, or an e-mail address.',
    }),
    subscriptions: t.field({
      type: [NewSubscription],
      required: true,
      description: `1 to ${MAX_ROWS} subscriptions. A subscriber has at most ${MAX_PER_TOPIC} to one topic.`,
    }),
    name: t.string({ description: 'The name of those that have none of their own: at most 255 characters.' }),
    preferences: t.field({
      type: [SubscriptionPreferenceInput],
      description: `Which workflows they want: at most ${MAX_PREFERENCES} entries. Absent says nothing about any.`,
    }),
    contexts: t.field({ type: [ContextInput], description: 'The contexts that scope them. Absent means none.' }),
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
      description: 'The subscriptions, one for each row that did not fail, in their order. Null when all was refused.',
      resolve: ({ result }) => result && [...result.subscriptions],
    }),
    failed: t.field({
      type: [Failure],
      nullable: true,
      description: 'The rows that failed. Null when the whole was refused.',
      resolve: ({ result }) => result && [...result.failed],
    }),
  }),
})

mutationField('updateTopicSubscription', {
  description: 'Changes what is given.',
  input: (t) => ({
    topicKey: t.string({ required: true, description: 'The key of the topic.' }),
    identifier: t.string({ required: true, description: 'The identifier of the subscription.' }),
    name: t.string({ description: 'Its name: at most 255 characters. Absent leaves it, null clears it.' }),
    preferences: t.field({
      type: [SubscriptionPreferenceInput],
      description: `Which workflows it wants, replaced whole: at most ${MAX_PREFERENCES} entries. Absent leaves them, an empty list or null clears them.`,
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
      description: 'The subscription as it is now. Null when refused.',
      resolve: ({ result }) => result,
    }),
  }),
})

const SubscriptionAddress = builder.inputType('TopicSubscriptionAddressInput', {
  description: 'Which subscriptions of a topic: at least one of the two is given, and both must agree.',
  fields: (t) => ({
    subscriberId: t.string({ description: 'Those of this subscriber: all of them, when no identifier is given.' }),
    identifier: t.string({ description: 'The one of this identifier.' }),
  }),
})

mutationField('deleteTopicSubscriptions', {
  description: `Ends subscriptions to a topic. A row that names none fails alone.`,
  input: (t) => ({
    topicKey: t.string({ required: true, description: 'The key of the topic.' }),
    subscriptions: t.field({
      type: [SubscriptionAddress],
      required: true,
      description: `1 to ${MAX_ROWS} rows, each of which names one subscription or all of a subscriber.`,
    }),
  }),
  resolver: deleteTopicSubscriptions,
  decode: (input) => input,
  payload: (t) => ({
    deletedIds: t.field({
      type: ['ID'],
      nullable: true,
      description: 'The node ids of what was deleted. Null when the whole was refused.',
      resolve: ({ result }) => result && result.deleted.map(({ id }) => encodeNodeId(TopicSubscription.name, id)),
    }),
    failed: t.field({
      type: [Failure],
      nullable: true,
      description: 'The rows that named none. Null when the whole was refused.',
      resolve: ({ result }) => result && [...result.failed],
    }),
  }),
})
