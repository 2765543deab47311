// Subscriber preferences.
import { MAX_PREFERENCE_CONTEXTS } from '../data/preference.ts'
import type { ChannelPreference as ChannelPreferenceRow } from '../domain/preference-rule.ts'
import {
  preferenceContextsOf,
  subscriberPreferences,
  type SubscriberPreferences as SubscriberPreferencesRow,
  updateSubscriberPreferences,
  workflowOf,
  type WorkflowPreference as WorkflowPreferenceRow,
} from '../domain/preference.ts'
import { Session } from './session.ts'
import { Channel } from './channel.ts'
import { ContextInput, readContexts } from './context.ts'
import { builder } from './schema/builder.ts'
import { mutationField } from './schema/mutation.ts'
import { edge } from './schema/query.ts'
import { Subscriber, subscriberIdField } from './subscriber.ts'
import { Workflow } from './workflow.ts'
import { byDefault, identifierOf, keysIn } from './schema/wording.ts'

const PreferenceSource = builder.enumType('PreferenceSource', {
  description: 'The source of a channel setting.',
  values: {
    SUBSCRIBER: { value: 'subscriber', description: "The subscriber's preference." },
    WORKFLOW: { value: 'workflow', description: "The workflow's default, or the workflow is critical." },
  } as const,
})

const PreferenceRule = builder.enumType('PreferenceRule', {
  description: 'A rule that can determine the setting of a channel.',
  values: {
    CRITICAL: { value: 'critical', description: 'The workflow is critical: every channel is on.' },
    SUBSCRIBER_WORKFLOW: {
      value: 'subscriber_workflow',
      description: "The subscriber's preference for the workflow.",
    },
    SUBSCRIBER_GLOBAL: { value: 'subscriber_global', description: "The subscriber's preference for all workflows." },
    WORKFLOW_DEFAULT: {
      value: 'workflow_default',
      description: "The workflow's default. Without a default, the channel is on.",
    },
  } as const satisfies Record<string, { value: ChannelPreferenceRow['decidedBy']; description: string }>,
})

const ChannelPreference = builder.objectRef<ChannelPreferenceRow>('ChannelPreference').implement({
  description: 'The effective setting of a channel for a subscriber.',
  fields: (t) => ({
    channel: t.expose('channel', { type: Channel, description: 'The channel.' }),
    enabled: t.exposeBoolean('enabled', {
      description: 'True if the channel is on, with all preferences and defaults applied.',
    }),
    source: t.expose('source', { type: PreferenceSource, description: 'The source of the setting.' }),
    decidedBy: t.expose('decidedBy', { type: PreferenceRule, description: 'The rule that determined the setting.' }),
    inherited: t.exposeBoolean('inherited', {
      description:
        'True if a preference without context determined the setting: notifications are turned off without context, and the subscriber has no preference under these contexts.',
    }),
  }),
})

const WorkflowChannelPreferences = builder.objectRef<WorkflowPreferenceRow>('WorkflowChannelPreferences').implement({
  description: 'The preferences of a subscriber for one workflow.',
  fields: (t) => ({
    workflow: edge(t, {
      description: 'The workflow. Not available to browser sessions.',
      type: Workflow,
      resolver: workflowOf,
      decode: (preference) => preference,
    }),
    workflowIdentifier: t.string({
      description: identifierOf('workflow'),
      resolve: ({ workflow }) => workflow.identifier,
    }),
    workflowName: t.string({
      description: 'The display name of the workflow.',
      resolve: ({ workflow }) => workflow.name,
    }),
    enabled: t.exposeBoolean('enabled', { description: 'True if at least one channel is on.' }),
    channels: t.expose('channels', {
      type: t.listRef(ChannelPreference),
      description: 'The effective setting of each channel.',
    }),
  }),
})

const SubscriberPreferences = builder.objectRef<SubscriberPreferencesRow>('SubscriberPreferences').implement({
  description:
    'The preferences of a subscriber under one exact set of contexts. Where they have no choice of their own and notifications are turned off without context, the preferences without context apply.',
  fields: (t) => ({
    contextKeys: t.expose('contextKeys', {
      type: t.listRef('String'),
      description: keysIn('preferences'),
    }),
    enabled: t.boolean({
      description:
        'True if notifications are on. If false, only critical workflows and workflows that the subscriber turned on individually are delivered.',
      resolve: ({ global }) => global.enabled,
    }),
    channels: t.field({
      type: t.listRef(ChannelPreference),
      description: 'The setting of each channel for workflows without a setting of their own.',
      resolve: ({ global }) => global.channels,
    }),
    workflows: t.expose('workflows', {
      type: t.listRef(WorkflowChannelPreferences),
      description: 'The preferences for each workflow of the environment, oldest first.',
    }),
  }),
})

builder.objectField(Subscriber, 'preferences', (t) =>
  edge(t, {
    description: 'The preferences under this exact set of contexts.',
    type: SubscriberPreferences,
    args: (arg) => ({
      contextKeys: arg.stringList({
        description: `The context keys, each \`<type>:<identifier>\`, in any order. ${byDefault('without context')}`,
      }),
    }),
    resolver: subscriberPreferences,
    decode: ({ subscriberId }, { contextKeys }) => ({ subscriberId, contextKeys }),
  }),
)

const PreferenceContext = builder
  .objectRef<Pick<SubscriberPreferencesRow, 'contextKeys'>>('PreferenceContext')
  .implement({
    description: 'An exact set of contexts under which a subscriber has stored preferences.',
    fields: (t) => ({
      contextKeys: t.expose('contextKeys', {
        type: t.listRef('String'),
        description: keysIn('preferences'),
      }),
    }),
  })

builder.objectField(Subscriber, 'preferenceContexts', (t) =>
  edge(t, {
    description: `The sets of contexts under which the subscriber has stored preferences, for \`preferences\`: the first ${MAX_PREFERENCE_CONTEXTS}, sorted by their keys.`,
    type: [PreferenceContext],
    resolver: preferenceContextsOf,
    decode: ({ subscriberId }) => ({ subscriberId }),
  }),
)

builder.objectField(Session, 'preferences', (t) =>
  edge(t, {
    description: "The subscriber's preferences under the session's contexts.",
    type: SubscriberPreferences,
    resolver: subscriberPreferences,
    decode: ({ subscriberId, contextKeys }) => ({ subscriberId, contextKeys: [...contextKeys] }),
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
    'Updates the preferences of a subscriber under an exact set of contexts, for one workflow or globally. A global preference for a channel replaces the preferences of all workflows for that channel. Turning notifications off globally replaces the preferences of all workflows. A preference of a workflow that is set later takes precedence again.',
  input: (t) => ({
    subscriberId: subscriberIdField(t),
    contexts: t.field({ type: [ContextInput], description: `The contexts. ${byDefault('without context')}` }),
    workflowId: t.string({ description: `The identifier of a workflow. ${byDefault('all workflows')}` }),
    enabled: t.boolean({
      description:
        'True to turn notifications on, false to turn them off. For a workflow, true takes precedence even if notifications are off globally. Null leaves the setting unchanged.',
    }),
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
  payload: { preferences: SubscriberPreferences },
})
