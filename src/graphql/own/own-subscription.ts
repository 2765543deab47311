// The topic subscriptions of a browser session, and mutations of a subscriber's own ones.
import {
  ownTopicSubscription,
  ownTopicSubscriptions,
  subscribeToTopic,
  unsubscribeFromTopic,
  updateOwnSubscriptionPreferences,
  updateOwnTopicSubscription,
} from '../../domain/own/own-subscription.ts'
import { MAX_PER_TOPIC } from '../../domain/subscribe.ts'
import {
  type GroupEntry,
  MAX_PREFERENCES,
  preferencesOf,
  type WorkflowEntry,
} from '../../domain/subscription-preference.ts'
import type { TopicSubscription as TopicSubscriptionRow } from '../../domain/topic-subscription.ts'
import { PreferenceWorkflow } from '../preference.ts'
import { builder, type InputFields } from '../schema/builder.ts'
import { usualLength } from '../schema/complexity.ts'
import { locateNames } from '../schema/former-name.ts'
import { mutationField, part } from '../schema/mutation.ts'
import { edge } from '../schema/query.ts'
import { byDefault, clearsIt, createdAt, identifierOf, keyOf, updatedAt } from '../schema/wording.ts'
import { Session } from '../session.ts'
import { subscriberIdField } from '../subscriber.ts'
import {
  conditionDescription,
  conditionInput,
  enabledDescription,
  locatePreference,
  readPreferences,
  SubscriptionPreferenceInput,
  readWorkflowName,
} from '../subscription-preference.ts'

const OwnPreference = builder.objectRef<WorkflowEntry | GroupEntry>('OwnTopicSubscriptionPreference').implement({
  description: 'A preference entry of a topic subscription, as its subscriber can see it.',
  fields: (t) => ({
    workflows: t.field({
      type: [PreferenceWorkflow],
      description: 'The existing workflows that the entry names. Workflows that are selected by a tag are omitted.',
      resolve: (entry) => (entry.kind === 'workflow' ? [entry.workflow] : entry.workflows),
    }),
    tags: t.field({
      type: ['String'],
      description:
        'The tags. Workflows with at least one of the tags are selected. Empty for an entry for one workflow.',
      resolve: (entry) => (entry.kind === 'workflow' ? [] : entry.tags),
    }),
    enabled: t.exposeBoolean('enabled', { description: enabledDescription }),
    condition: t.expose('condition', { type: 'JSONObject', nullable: true, description: conditionDescription }),
  }),
})

const OwnTopicSubscription = builder.objectRef<TopicSubscriptionRow>('OwnTopicSubscription').implement({
  description: 'A topic subscription, as its subscriber can see it.',
  fields: (t) => ({
    topicKey: t.exposeString('topicKey', { description: keyOf('topic') }),
    identifier: t.exposeString('identifier', { description: identifierOf('subscription') }),
    name: t.exposeString('name', { nullable: true, description: 'The display name. Null if none is set.' }),
    preferences: edge(t, {
      description: `The preference entries, in the given order: at most ${MAX_PREFERENCES}.`,
      type: [OwnPreference],
      resolver: preferencesOf,
      decode: ({ id }) => ({ subscriptionId: id }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: createdAt('topic subscription') }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: updatedAt('name or the preferences of the topic subscription'),
    }),
  }),
})

builder.objectFields(Session, (t) => ({
  topicSubscriptions: edge(t, {
    description: `The session's subscriptions to a topic, newest first: at most ${MAX_PER_TOPIC}. Empty if the topic does not exist.`,
    type: [OwnTopicSubscription],
    args: (arg) => ({ topicKey: arg.string({ required: true, description: keyOf('topic') }) }),
    complexity: usualLength(MAX_PER_TOPIC),
    resolver: ownTopicSubscriptions,
    decode: ({ subscriberId, contextKeys }, { topicKey }) => ({
      ...{ subscriberId, topicKey },
      contextKeys: [...contextKeys],
    }),
  }),
  topicSubscription: edge(t, {
    description: "Finds one of the session's subscriptions to a topic. Null if it does not exist.",
    type: OwnTopicSubscription,
    nullable: true,
    args: (arg) => ({
      topicKey: arg.string({ required: true, description: keyOf('topic') }),
      identifier: arg.string({ required: true, description: identifierOf('subscription') }),
    }),
    resolver: ownTopicSubscription,
    decode: ({ subscriberId, contextKeys }, { topicKey, identifier }) => ({
      ...{ subscriberId, topicKey, identifier },
      contextKeys: [...contextKeys],
    }),
  }),
}))

const ownerFields = (t: InputFields) => ({
  subscriberId: subscriberIdField(t),
  contextKeys: t.stringList({
    description: `The exact context keys, each \`<type>:<identifier>\`, in any order. ${byDefault('without context')}`,
  }),
})

const topicOfInput = (t: InputFields) => t.string({ required: true, description: keyOf('topic') })
const identifierOfInput = (t: InputFields) => t.string({ required: true, description: identifierOf('subscription') })

mutationField('subscribeToTopic', {
  description: `Subscribes a subscriber to a topic, which is created if it does not exist, but not by an unsigned session. A subscriber can have at most ${MAX_PER_TOPIC} subscriptions to one topic. An existing subscription with the identifier is returned unchanged. For browser sessions: \`createTopicSubscriptions\` subscribes many subscribers.`,
  input: (t) => ({
    ...ownerFields(t),
    topicKey: t.string({
      required: true,
      description: 'The key of the topic: 1 to 255 letters, digits, `-`, `_` or `:`, or an email address.',
    }),
    topicName: t.string({ description: 'The display name of a new topic: at most 255 characters.' }),
    identifier: t.string({
      description: `The identifier: 1 to 255 characters, unique in the topic. Only the default begins with \`tk=\`. ${byDefault('`tk=<topic key>:si=<subscriberId>`, followed by `:ctx=<context keys, sorted, separated by commas>` under contexts')}`,
    }),
    name: t.string({ description: 'The display name: at most 255 characters.' }),
    preferences: t.field({
      type: [SubscriptionPreferenceInput],
      description: `The preferences: at most ${MAX_PREFERENCES} entries. ${byDefault('none')}`,
    }),
  }),
  resolver: subscribeToTopic,
  decode: ({ preferences, ...given }) => ({ ...given, preferences: preferences && readPreferences(preferences) }),
  locate: locatePreference,
  payload: { ownTopicSubscription: OwnTopicSubscription },
})

mutationField('updateOwnTopicSubscription', {
  description: 'Updates the given fields of a topic subscription of a subscriber. For browser sessions.',
  input: (t) => ({
    ...ownerFields(t),
    topicKey: topicOfInput(t),
    identifier: identifierOfInput(t),
    name: t.string({ description: `The display name: at most 255 characters. ${clearsIt}` }),
    preferences: t.field({
      type: [SubscriptionPreferenceInput],
      description: `The preferences: at most ${MAX_PREFERENCES} entries. Replaces all existing entries. Null or an empty list clears them.`,
    }),
  }),
  resolver: updateOwnTopicSubscription,
  decode: ({ preferences, ...given }) => ({
    ...given,
    preferences: preferences === undefined ? undefined : readPreferences(preferences ?? []),
  }),
  locate: locatePreference,
  payload: { ownTopicSubscription: OwnTopicSubscription },
})

const EntryChange = builder.inputType('OwnSubscriptionPreferenceInput', {
  description: 'A change of the preference entry for one workflow.',
  fields: (t) => ({
    workflowIdentifier: t.string({ required: true, description: 'The identifier or id of a workflow.' }),
    enabled: t.boolean({ description: `${enabledDescription} ${byDefault('the current setting, or true')}` }),
    condition: t.field({
      type: 'JSONObject',
      description: `${conditionInput} ${byDefault('the current condition')} ${clearsIt}`,
    }),
  }),
})

mutationField('updateOwnSubscriptionPreferences', {
  description:
    'Updates the preference entries for single workflows of a topic subscription of a subscriber. Other entries do not change. A workflow in a group leaves the group. For browser sessions.',
  input: (t) => ({
    ...ownerFields(t),
    topicKey: t.string({
      description: `${keyOf('topic')} Required if the subscriber has subscriptions with the identifier to several topics.`,
    }),
    identifier: identifierOfInput(t),
    preferences: t.field({
      type: [EntryChange],
      required: true,
      description: `1 to ${MAX_PREFERENCES} changes.`,
    }),
  }),
  resolver: updateOwnSubscriptionPreferences,
  decode: ({ preferences, ...given }) => ({
    ...given,
    preferences: preferences.map(({ workflowIdentifier, ...settings }) => ({
      ...settings,
      workflowId: readWorkflowName(workflowIdentifier),
    })),
  }),
  locate: locateNames({ workflowId: 'workflowIdentifier' }),
  payload: { ownTopicSubscription: OwnTopicSubscription },
})

mutationField('unsubscribeFromTopic', {
  description: 'Deletes a topic subscription of a subscriber. For browser sessions.',
  input: (t) => ({ ...ownerFields(t), topicKey: topicOfInput(t), identifier: identifierOfInput(t) }),
  resolver: unsubscribeFromTopic,
  payload: {
    deletedIdentifier: (t) =>
      part(t, 'String', 'The identifier of the deleted subscription.', ({ identifier }) => identifier),
  },
})
