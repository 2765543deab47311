// Subscriber preferences in the graph.
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
  description: 'Who decided whether a channel may be used.',
  values: {
    SUBSCRIBER: { value: 'subscriber', description: 'The subscriber chose.' },
    WORKFLOW: { value: 'workflow', description: 'Nobody chose, or the workflow is critical.' },
  } as const,
})

const ChannelPreference = builder.objectRef<ChannelPreferenceRow>('ChannelPreference').implement({
  description: 'Whether a channel may be used for a subscriber.',
  fields: (t) => ({
    channel: t.expose('channel', { type: Channel, description: 'The channel.' }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether it may be used, everything weighed.' }),
    source: t.expose('source', { type: PreferenceSource, description: 'Who decided.' }),
  }),
})

const WorkflowChannelPreferences = builder.objectRef<WorkflowPreferenceRow>('WorkflowChannelPreferences').implement({
  description: 'What a subscriber wants of one workflow.',
  fields: (t) => ({
    workflow: t.field({
      type: Workflow,
      description: 'The workflow. Not for the session of a browser.',
      resolve: (preference, _args, { scope }) => workflowOf(scope, preference),
    }),
    workflowIdentifier: t.string({
      description: 'The identifier of the workflow.',
      resolve: ({ workflow }) => workflow.identifier,
    }),
    workflowName: t.string({
      description: 'The name of the workflow, for people.',
      resolve: ({ workflow }) => workflow.name,
    }),
    enabled: t.exposeBoolean('enabled', { description: 'The switch of the whole workflow.' }),
    channels: t.field({
      type: [ChannelPreference],
      description: 'What holds for each channel.',
      resolve: ({ channels }) => [...channels],
    }),
  }),
})

const SubscriberPreferences = builder.objectRef<SubscriberPreferencesRow>('SubscriberPreferences').implement({
  description: 'What a subscriber wants under exactly one set of contexts.',
  fields: (t) => ({
    contextKeys: t.stringList({
      description: 'The contexts, each `<type>:<identifier>`, sorted. Empty means without context.',
      resolve: ({ contextKeys }) => [...contextKeys],
    }),
    enabled: t.boolean({
      description: 'The switch of all notifications, unless a workflow has its own.',
      resolve: ({ global }) => global.enabled,
    }),
    channels: t.field({
      type: [ChannelPreference],
      description: 'What holds for each channel, unless a workflow has its own.',
      resolve: ({ global }) => [...global.channels],
    }),
    workflows: t.field({
      type: [WorkflowChannelPreferences],
      description: 'What holds for each workflow of the environment, oldest first.',
      resolve: ({ workflows }) => [...workflows],
    }),
  }),
})

builder.objectField(Subscriber, 'preferences', (t) =>
  t.field({
    ...calls(subscriberPreferences),
    type: SubscriberPreferences,
    description: 'What the subscriber wants under exactly these contexts.',
    args: {
      contextKeys: t.arg.stringList({
        description: 'The contexts, each `<type>:<identifier>`, in whichever order. Absent or empty means without.',
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
    description: 'What its subscriber wants under its contexts.',
    resolve: ({ subscriberId, contextKeys }, _args, { scope }) =>
      subscriberPreferences(scope, { subscriberId, contextKeys: [...contextKeys] }),
  }),
)

const ChannelPreferenceInput = builder.inputType('ChannelPreferenceInput', {
  description: 'A choice for one channel.',
  fields: (t) => ({
    channel: t.field({ type: Channel, required: true, description: 'The channel.' }),
    enabled: t.boolean({ description: 'Whether it may be used. Null takes the choice back.' }),
  }),
})

mutationField('updateSubscriberPreferences', {
  description:
    'Changes what a subscriber wants under exactly these contexts: of one workflow, or of all when none is named. A channel that is chosen for all is taken back in each workflow, so that it holds everywhere.',
  input: (t) => ({
    subscriberId: subscriberIdField(t),
    contexts: t.field({ type: [ContextInput], description: 'The contexts. Absent means without.' }),
    workflowId: t.string({ description: 'The identifier of a workflow. Absent means all workflows.' }),
    enabled: t.boolean({ description: 'The switch of the whole. Absent or null leaves it.' }),
    channels: t.field({
      type: [ChannelPreferenceInput],
      description: 'Choices for channels. One that is not named stays.',
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
      description: 'What the subscriber wants now. Null when refused.',
      resolve: ({ result }) => result,
    }),
  }),
})
