// Subscriber preferences.
import {
  type ChannelPreference as ChannelPreferenceRow,
  subscriberPreferences,
  type SubscriberPreferences as SubscriberPreferencesRow,
  updateSubscriberPreferences,
  workflowOf,
  type WorkflowPreference as WorkflowPreferenceRow,
} from '../domain/preference.ts'
import { Channel } from './channel.ts'
import { ContextInput, readContexts } from './context.ts'
import { builder } from './schema/builder.ts'
import { mutationField } from './schema/mutation.ts'
import { calls } from './schema/resolver-extension.ts'
import { Session } from './session.ts'
import { Subscriber, subscriberIdField } from './subscriber.ts'
import { Workflow } from './workflow.ts'

const PreferenceSource = builder.enumType('PreferenceSource', {
  description: 'The source of a channel setting.',
  values: {
    SUBSCRIBER: { value: 'subscriber', description: "The subscriber's preference." },
    WORKFLOW: { value: 'workflow', description: "The workflow's default, or the workflow is critical." },
  } as const,
})

const ChannelPreference = builder.objectRef<ChannelPreferenceRow>('ChannelPreference').implement({
  description: 'The effective setting of a channel for a subscriber.',
  fields: (t) => ({
    channel: t.expose('channel', { type: Channel, description: 'The channel.' }),
    enabled: t.exposeBoolean('enabled', {
      description: 'True if the channel is on, with all preferences and defaults applied.',
    }),
    source: t.expose('source', { type: PreferenceSource, description: 'The source of the setting.' }),
  }),
})

const WorkflowChannelPreferences = builder.objectRef<WorkflowPreferenceRow>('WorkflowChannelPreferences').implement({
  description: 'The preferences of a subscriber for one workflow.',
  fields: (t) => ({
    workflow: t.field({
      type: Workflow,
      description: 'The workflow. Not available to browser sessions.',
      resolve: (preference, _args, { scope }) => workflowOf(scope, preference),
    }),
    workflowIdentifier: t.string({
      description: 'The identifier of the workflow.',
      resolve: ({ workflow }) => workflow.identifier,
    }),
    workflowName: t.string({
      description: 'The display name of the workflow.',
      resolve: ({ workflow }) => workflow.name,
    }),
    enabled: t.exposeBoolean('enabled', { description: 'True if the workflow is on.' }),
    channels: t.field({
      type: [ChannelPreference],
      description: 'The effective setting of each channel.',
      resolve: ({ channels }) => [...channels],
    }),
  }),
})

const SubscriberPreferences = builder.objectRef<SubscriberPreferencesRow>('SubscriberPreferences').implement({
  description: 'The preferences of a subscriber under one exact set of contexts.',
  fields: (t) => ({
    contextKeys: t.stringList({
      description: 'The context keys, each `<type>:<identifier>`, sorted.',
      resolve: ({ contextKeys }) => [...contextKeys],
    }),
    enabled: t.boolean({
      description: 'True if notifications are on, unless a workflow has its own setting.',
      resolve: ({ global }) => global.enabled,
    }),
    channels: t.field({
      type: [ChannelPreference],
      description: 'The setting of each channel, unless a workflow has its own setting.',
      resolve: ({ global }) => [...global.channels],
    }),
    workflows: t.field({
      type: [WorkflowChannelPreferences],
      description: 'The preferences for each workflow of the environment, oldest first.',
      resolve: ({ workflows }) => [...workflows],
    }),
  }),
})

builder.objectField(Subscriber, 'preferences', (t) =>
  t.field({
    ...calls(subscriberPreferences),
    type: SubscriberPreferences,
    description: 'The preferences under this exact set of contexts.',
    args: {
      contextKeys: t.arg.stringList({
        description: 'The context keys, each `<type>:<identifier>`, in any order. Default: without context.',
      }),
    },
    resolve: ({ subscriberId }, { contextKeys }, { scope }) =>
      subscriberPreferences(scope, { subscriberId, contextKeys }),
  }),
)

builder.objectField(Session, 'preferences', (t) =>
  t.field({
    ...calls(subscriberPreferences),
    type: SubscriberPreferences,
    description: "The subscriber's preferences under the session's contexts.",
    resolve: ({ subscriberId, contextKeys }, _args, { scope }) =>
      subscriberPreferences(scope, { subscriberId, contextKeys: [...contextKeys] }),
  }),
)

const ChannelPreferenceInput = builder.inputType('ChannelPreferenceInput', {
  description: 'The preference for one channel.',
  fields: (t) => ({
    channel: t.field({ type: Channel, required: true, description: 'The channel.' }),
    enabled: t.boolean({ description: 'True if the channel is on. Null removes the preference.' }),
  }),
})

mutationField('updateSubscriberPreferences', {
  description:
    'Updates the preferences of a subscriber under an exact set of contexts, for one workflow or globally. A global channel preference replaces the preferences of all workflows for that channel.',
  input: (t) => ({
    subscriberId: subscriberIdField(t),
    contexts: t.field({ type: [ContextInput], description: 'The contexts. Default: without context.' }),
    workflowId: t.string({ description: 'The identifier of a workflow. Default: all workflows.' }),
    enabled: t.boolean({ description: 'True if notifications are on. Absent or null does not change it.' }),
    channels: t.field({
      type: [ChannelPreferenceInput],
      description: 'The preferences for channels. Channels not listed do not change.',
    }),
  }),
  resolver: updateSubscriberPreferences,
  decode: ({ contexts, channels, ...given }) => ({
    ...given,
    context: readContexts(contexts),
    channels: channels && Object.fromEntries(channels.map(({ channel, enabled }) => [channel, enabled ?? null])),
  }),
  payload: (t) => ({
    preferences: t.field({
      type: SubscriberPreferences,
      nullable: true,
      description: 'The updated preferences. Null if the mutation failed.',
      resolve: ({ result }) => result,
    }),
  }),
})
