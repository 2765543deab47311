// Subscriber preferences.
import { MAX_PREFERENCE_CONTEXTS } from '../data/preference/preference.ts'
import {
  preferenceContextsOf,
  subscriberPreferences,
  type SubscriberPreferences as SubscriberPreferencesRow,
  updateSubscriberPreferences,
} from '../domain/preference/preference.ts'
import {
  allWorkflowPreferences,
  channelsUsedBy,
  usedChannels,
  workflowOf,
  type WorkflowPreference as WorkflowPreferenceRow,
  workflowPreferences,
} from '../domain/preference/workflow-preference.ts'
import type { Workflow as WorkflowRow } from '../domain/workflow.ts'
import { locateInSchedule, readSchedule, SubscriberSchedule, SubscriberScheduleInput } from './preference/schedule.ts'
import { Session } from './session.ts'
import { Channel } from './channel.ts'
import { ChannelPreference, ChannelPreferenceInput } from './channel-preference.ts'
import { ContextInput, readContexts } from './context.ts'
import { builder } from './schema/builder.ts'
import { usualLength } from './schema/complexity.ts'
import { connectionOf } from './schema/connection.ts'
import { eitherName, formerNameOf, locateNames, replacedBy } from './schema/former-name.ts'
import { mutationField, part } from './schema/mutation.ts'
import { edge, edgeList } from './schema/query.ts'
import { namedSubscriber, Subscriber } from './subscriber.ts'
import { Workflow } from './workflow.ts'
import { byDefault, identifierOf, keyOf, keysIn, partOfEither } from './schema/wording.ts'

const WorkflowChannelPreferences = builder.objectRef<WorkflowPreferenceRow>('WorkflowChannelPreferences').implement({
  description: 'The preferences of a subscriber for one workflow.',
  fields: (t) => ({
    workflow: edge(t, {
      description: 'The workflow. Not available to browser sessions, which read `workflowPreferences` instead.',
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

export const PreferenceWorkflow = builder.objectRef<WorkflowRow>('PreferenceWorkflow').implement({
  description: 'What subscribers may know about a workflow to choose its preferences.',
  fields: (t) => ({
    identifier: t.exposeString('identifier', { description: identifierOf('workflow') }),
    name: t.exposeString('name', { description: 'The display name of the workflow.' }),
    tags: t.exposeStringList('tags', { description: 'The tags of the workflow.' }),
    critical: t.exposeBoolean('critical', {
      description: 'True if the workflow ignores preferences: its channels are always on.',
    }),
    channels: t.field({
      type: [Channel],
      description: 'The channels that the workflow uses in its active steps.',
      resolve: (row) => channelsUsedBy(row),
    }),
  }),
})

const WorkflowPreference = builder.objectRef<WorkflowPreferenceRow>('WorkflowPreference').implement({
  description: 'The preferences of a subscriber for one workflow, with the channels that the workflow uses.',
  fields: (t) => ({
    workflow: t.expose('workflow', { type: PreferenceWorkflow, description: 'The workflow.' }),
    enabled: t.exposeBoolean('enabled', { description: 'True if at least one channel is on.' }),
    channels: t.expose('channels', {
      type: t.listRef(ChannelPreference),
      description: 'The effective setting of each channel that the workflow uses in its active steps.',
    }),
  }),
})

const WorkflowPreferenceFilter = builder.inputType('WorkflowPreferenceFilter', {
  description:
    'Filters a list of preferences by their workflows. All conditions must match. A null condition is ignored.',
  fields: (t) => ({
    tags: t.stringList({ description: 'Tags. The workflow must have all of the tags.' }),
    active: t.boolean({ description: 'True matches active workflows, false inactive workflows.' }),
    search: t.string({
      description: partOfEither('identifier', 'name'),
    }),
  }),
})

export const keyOfPreferences = ({ subscriberId, contextKeys }: SubscriberPreferencesRow) => ({
  subscriberId,
  contextKeys: [...contextKeys],
})

export const SubscriberPreferences = builder.objectRef<SubscriberPreferencesRow>('SubscriberPreferences').implement({
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
      resolve: (preferences) => preferences.enabled,
    }),
    schedule: t.field({
      type: SubscriberSchedule,
      nullable: true,
      description: 'The hours in which messages are sent. Null if there are none: messages are sent at all hours.',
      resolve: (preferences) => preferences.schedule,
    }),
    channels: t.field({
      type: t.listRef(ChannelPreference),
      description: 'The setting of each channel for workflows without a setting of their own.',
      resolve: (preferences) => preferences.channels,
    }),
    usedChannels: edge(t, {
      type: [ChannelPreference],
      description: 'The same as `channels`, for each channel that any workflow of the environment uses.',
      complexity: usualLength(3),
      resolver: usedChannels,
      decode: keyOfPreferences,
    }),
    workflowPreferences: edgeList(t, {
      connection: connectionOf(WorkflowPreference, 'A page of the preferences for single workflows.'),
      description:
        'The preferences for the workflows of the environment, oldest workflow first. Also available to browser sessions.',
      args: (arg) => ({
        filter: arg({ type: WorkflowPreferenceFilter, description: 'Filters the list. All conditions must match.' }),
      }),
      resolver: workflowPreferences,
      decode: (preferences, { page, filter }) => ({ ...keyOfPreferences(preferences), page, filter }),
    }),
    workflows: edge(t, {
      type: [WorkflowChannelPreferences],
      description:
        'The preferences for each workflow of the environment, oldest first, with every channel, used or not.',
      deprecationReason: 'Use `workflowPreferences`.',
      resolver: allWorkflowPreferences,
      decode: keyOfPreferences,
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

const locateName = locateNames({ workflowId: 'workflowIdentifier' })

mutationField('updateSubscriberPreferences', {
  description:
    'Updates the preferences of a subscriber under an exact set of contexts: for one workflow, for one category or globally. A global preference for a channel replaces the preferences of all categories and workflows for that channel, and turning notifications off globally replaces all of them. A preference of a category does the same to the preferences of its workflows. A narrower preference that is set later takes precedence again. Each change is recorded in `Subscriber.preferenceChanges`.',
  input: (t) => ({
    ...namedSubscriber.fields(t),
    contexts: t.field({ type: [ContextInput], description: `The contexts. ${byDefault('without context')}` }),
    workflowIdentifier: t.string({ description: `${identifierOf('workflow')} ${byDefault('all workflows')}` }),
    categoryKey: t.string({ description: `${keyOf('category')} Not together with a workflow.` }),
    workflowId: t.string({
      description: formerNameOf('workflowIdentifier'),
      deprecationReason: replacedBy('workflowIdentifier'),
    }),
    enabled: t.boolean({
      description:
        'True to turn notifications on, false to turn them off. For a workflow or a category, true takes precedence even if notifications are off globally. Null leaves the setting unchanged.',
    }),
    channels: t.field({
      type: [ChannelPreferenceInput],
      description: 'The preferences for channels. Channels not listed do not change.',
    }),
    schedule: t.field({
      type: SubscriberScheduleInput,
      description:
        'The hours in which messages are sent. Only without a workflow and a category. Null removes the schedule.',
    }),
  }),
  resolver: updateSubscriberPreferences,
  decode: ({ contexts, channels, workflowIdentifier, workflowId, schedule, ...given }) => ({
    ...namedSubscriber.decode(given),
    schedule: schedule && readSchedule(schedule),
    workflowId: eitherName({ workflowIdentifier, workflowId }),
    context: readContexts(contexts),
    channels: channels && Object.fromEntries(channels.map(({ channel, enabled }) => [channel, enabled ?? null])),
  }),
  locate: ([field, ...rest], input) =>
    field === 'schedule'
      ? [field, ...locateInSchedule(rest, input.schedule)]
      : locateName([field ?? '', ...rest], input),
  payload: {
    preferences: SubscriberPreferences,
    notes: (t) =>
      part(
        t,
        ['String'],
        'Sentences about what has no effect, such as a preference for a critical workflow.',
        (result) => [...result.notes],
      ),
  },
})
