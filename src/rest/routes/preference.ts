// Routes of subscriber preferences.
import { z } from 'zod'
import { Channel, Severity } from '../../data/prisma/enums.ts'
import type { Category } from '../../domain/category.ts'
import { categoryPreferences } from '../../domain/preference/category-preference.ts'
import type { ChannelPreference } from '../../domain/preference/preference-rule.ts'
import {
  subscriberPreferences,
  type SubscriberPreferences,
  updateSubscriberPreferences,
} from '../../domain/preference/preference.ts'
import {
  type ChangedPreference,
  MAX_CHANGES,
  preferenceChange,
  updatePreferences,
} from '../../domain/preference/preference-bulk.ts'
import { onTwelveHours, type Schedule, weekdays } from '../../domain/preference/schedule.ts'
import { contextInput } from '../../domain/context.ts'
import type { DoorScope } from '../../domain/resolver/door-scope.ts'
import { allWorkflowPreferences } from '../../domain/preference/workflow-preference.ts'
import { asWarnings, warningsView } from '../ignored-fields.ts'
import { route } from '../route.ts'
import { bySubscriberId } from '../views.ts'

const channels = z
  .partialRecord(z.enum(Channel), z.boolean())
  .meta({ description: 'Setting by channel: true if the channel is on.' })

const categoryView = z
  .object({ key: z.string(), name: z.string(), description: z.string().nullable(), isHidden: z.boolean() })
  .meta({ id: 'PreferenceCategory', description: 'What subscribers may know about a category.' })

const showCategory = ({ key, name, description, isHidden }: Category): z.input<typeof categoryView> => ({
  ...{ key, name, description, isHidden },
})

const hoursView = z.object({
  start: z.string().meta({ description: 'Local time at which the hours begin, such as `09:00 AM`.' }),
  end: z.string().meta({ description: 'Local time at which they end. `12:00 AM` is the end of the day.' }),
})
const dayView = z.object({ isEnabled: z.boolean(), hours: z.array(hoursView) })

export const scheduleView = z
  .object({
    isEnabled: z.boolean().meta({ description: 'False if messages are sent at all hours.' }),
    weeklySchedule: z
      .partialRecord(z.enum(weekdays), dayView)
      .optional()
      .meta({ description: 'Hours of each day. Nothing is sent on days that are absent.' }),
  })
  .meta({
    id: 'SubscriberSchedule',
    description: 'Hours in which messages are sent, in the time zone of the subscriber. Absent for all hours.',
  })

const clock = (hours: readonly { readonly start: string; readonly end: string }[]) =>
  hours.map(({ start, end }) => ({ start: onTwelveHours(start), end: onTwelveHours(end) }))

export function showSchedule({ isEnabled, weeklySchedule }: Schedule): z.input<typeof scheduleView> {
  if (weeklySchedule === null) return { isEnabled }
  const days = weekdays.flatMap((day) => {
    const { isEnabled, hours = [] } = weeklySchedule[day] ?? {}
    return isEnabled === undefined ? [] : [[day, { isEnabled, hours: clock(hours) }] as const]
  })
  return { isEnabled, weeklySchedule: Object.fromEntries(days) }
}

export const preferencesView = z
  .object({
    global: z
      .object({
        enabled: z.boolean().meta({ description: 'True unless notifications are turned off globally.' }),
        channels,
        schedule: scheduleView.optional(),
      })
      .meta({ description: 'Preferences for workflows without preferences of their own.' }),
    workflows: z.array(
      z.object({
        enabled: z.boolean().meta({ description: 'True if at least one channel is on.' }),
        channels,
        overrides: z.array(z.object({ channel: z.enum(Channel), source: z.enum(['subscriber', 'template']) })).meta({
          description: 'Source of the setting of each channel: the subscriber or the defaults of the workflow.',
        }),
        workflow: z.object({
          slug: z.string(),
          identifier: z.string(),
          name: z.string(),
          critical: z.boolean().meta({ description: 'True if the workflow ignores preferences.' }),
          tags: z.array(z.string()),
        }),
      }),
    ),
    categories: z.array(
      z.object({
        enabled: z.boolean().meta({ description: 'True if at least one channel is on, used or not.' }),
        channels: channels.meta({
          description: 'Setting of each channel that workflows of the category use: true if the channel is on.',
        }),
        category: categoryView,
      }),
    ),
    warnings: warningsView,
  })
  .meta({
    id: 'SubscriberPreferences',
    description: 'Channel preferences of a subscriber: global, by workflow and by category.',
  })

const byChannel = (preferences: readonly ChannelPreference[]) =>
  Object.fromEntries(preferences.map(({ channel, enabled }) => [channel, enabled]))

const sources = { subscriber: 'subscriber', workflow: 'template' } as const

export async function showSubscriberPreferences(
  { enabled, channels, schedule, ...key }: SubscriberPreferences,
  scope: DoorScope,
): Promise<z.input<typeof preferencesView>> {
  const { subscriberId, contextKeys } = key
  const named = { subscriberId, contextKeys: [...contextKeys] }
  const [workflows, categories] = await Promise.all([
    allWorkflowPreferences(scope, named),
    categoryPreferences(scope, named),
  ])
  return {
    global: { enabled, channels: byChannel(channels), ...(schedule && { schedule: showSchedule(schedule) }) },
    workflows: workflows.map(({ workflow: { identifier, name, critical, tags }, enabled, channels }) => ({
      enabled,
      channels: byChannel(channels),
      overrides: channels.map(({ channel, source }) => ({ channel, source: sources[source] })),
      workflow: { slug: identifier, identifier, name, critical, tags },
    })),
    categories: categories.map(({ category, enabled, channels }) => ({
      enabled,
      channels: byChannel(channels),
      category: showCategory(category),
    })),
  }
}

const changedView = z
  .object({
    level: z.enum(['global', 'template', 'category']).meta({
      description: '`template` for the preferences of one workflow, `category` for those of one category.',
    }),
    enabled: z.boolean().meta({ description: 'True if at least one channel is on. Global: unless turned off.' }),
    channels,
    workflow: z
      .object({
        id: z.string(),
        identifier: z.string(),
        name: z.string(),
        critical: z.boolean(),
        severity: z.enum(Severity),
        tags: z.array(z.string()),
      })
      .optional()
      .meta({ description: 'The workflow. Absent for other preferences.' }),
    category: categoryView.optional().meta({ description: 'The category. Absent for other preferences.' }),
  })
  .meta({
    id: 'ChangedPreference',
    description: 'Preferences of a subscriber: global, for one workflow or for one category.',
  })

function showChanged(changed: ChangedPreference): z.input<typeof changedView> {
  const { enabled, channels } = changed
  if (changed.kind === 'global') return { level: 'global', enabled, channels: byChannel(channels) }
  if (changed.kind === 'category') {
    return { level: 'category', enabled, channels: byChannel(channels), category: showCategory(changed.category) }
  }
  const { id, identifier, name, critical, severity, tags } = changed.workflow
  return {
    level: 'template',
    enabled,
    channels: byChannel(channels),
    workflow: { id, identifier, name, critical, severity, tags },
  }
}

/** Contexts by type, as a list. */
const contextsOf = (context: z.output<typeof contextInput>) =>
  Object.entries(context ?? {}).map(([type, value]) =>
    typeof value === 'string' ? { type, identifier: value } : { type, identifier: value.id, data: value.data },
  )

const { input: updateInput } = updateSubscriberPreferences.definition

export const preferenceRoutes = [
  route({
    method: 'get',
    path: '/v2/subscribers/{subscriberId}/preferences',
    summary: 'Read the preferences of a subscriber',
    params: bySubscriberId,
    query: z.object({
      contextKeys: z.array(z.string()).optional().meta({
        description: 'Contexts of the preferences, each as `<type>:<id>`. Default: the preferences without contexts.',
      }),
    }),
    resolver: subscriberPreferences,
    statuses: [200],
    response: preferencesView,
    view: showSubscriberPreferences,
  }),
  route({
    method: 'patch',
    path: '/v2/subscribers/{subscriberId}/preferences',
    summary: 'Update the preferences of a subscriber for one workflow or category, or globally if none is given',
    example: { channels: { email: false } },
    params: bySubscriberId,
    // Without a misspelled workflowId, a change would apply to all workflows.
    body: updateInput.omit({ subscriberId: true, id: true }).strict(),
    resolver: updateSubscriberPreferences,
    statuses: [200],
    response: preferencesView,
    async view(output, scope) {
      return { ...(await showSubscriberPreferences(output, scope)), ...asWarnings(output.notes) }
    },
  }),
  route({
    method: 'patch',
    path: '/v2/subscribers/{subscriberId}/preferences/bulk',
    summary: 'Update several preferences of a subscriber; nothing is written if one of them fails',
    example: { preferences: [{ workflowId: 'order', channels: { email: false } }] },
    params: bySubscriberId,
    body: z.strictObject({
      preferences: z
        .array(preferenceChange.omit({ subscriberId: true, id: true, contexts: true }))
        .min(1)
        .max(MAX_CHANGES)
        .meta({
          description: 'Changes, each for one workflow, for one category or, without either, for all workflows.',
        }),
      context: contextInput,
    }),
    resolver: updatePreferences,
    input: ({ params: { subscriberId }, body: { preferences, context } }) => ({
      preferences: preferences.map((change) => ({ ...change, subscriberId, contexts: contextsOf(context) })),
      allOrNothing: true,
    }),
    statuses: [200],
    response: z.array(changedView),
    view: ({ changed }) => changed.map(showChanged),
  }),
]
