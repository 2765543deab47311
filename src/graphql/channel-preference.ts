// The setting of a channel for a subscriber, and the rule that determines it.
import type { ChannelPreference as ChannelPreferenceRow } from '../domain/preference/preference-rule.ts'
import { Channel } from './channel.ts'
import { builder } from './schema/builder.ts'

const PreferenceSource = builder.enumType('PreferenceSource', {
  description: 'The source of a channel setting.',
  values: {
    SUBSCRIBER: { value: 'subscriber', description: "The subscriber's preference." },
    WORKFLOW: {
      value: 'workflow',
      description: 'The default of the workflow or of its category, or the workflow is critical.',
    },
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
    SUBSCRIBER_CATEGORY: {
      value: 'subscriber_category',
      description: "The subscriber's preference for the category of the workflow.",
    },
    SUBSCRIBER_GLOBAL: { value: 'subscriber_global', description: "The subscriber's preference for all workflows." },
    CATEGORY_DEFAULT: { value: 'category_default', description: "The default of the workflow's category." },
    WORKFLOW_DEFAULT: {
      value: 'workflow_default',
      description: "The workflow's default. Without a default, the channel is on.",
    },
  } as const satisfies Record<string, { value: ChannelPreferenceRow['decidedBy']; description: string }>,
})

export const ChannelPreference = builder.objectRef<ChannelPreferenceRow>('ChannelPreference').implement({
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

export const ChannelPreferenceInput = builder.inputType('ChannelPreferenceInput', {
  description: 'The preference for one channel.',
  fields: (t) => ({
    channel: t.field({ type: Channel, required: true, description: 'The channel.' }),
    enabled: t.boolean({ description: 'True if the channel is on. Null removes the preference.' }),
  }),
})
