// Routes of subscriber preferences.
import { z } from 'zod'
import { Channel } from '../../data/prisma/enums.ts'
import type { ChannelPreference } from '../../domain/preference-rule.ts'
import {
  subscriberPreferences,
  type SubscriberPreferences,
  updateSubscriberPreferences,
} from '../../domain/preference.ts'
import type { DoorScope } from '../../domain/resolver/door-scope.ts'
import { allWorkflowPreferences } from '../../domain/workflow-preference.ts'
import { asWarnings, warningsView } from '../ignored-fields.ts'
import { route } from '../route.ts'
import { bySubscriberId } from '../views.ts'

const channels = z
  .partialRecord(z.enum(Channel), z.boolean())
  .meta({ description: 'Setting by channel: true if the channel is on.' })

const preferencesView = z
  .object({
    global: z
      .object({
        enabled: z.boolean().meta({ description: 'True unless notifications are turned off globally.' }),
        channels,
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
    warnings: warningsView,
  })
  .meta({
    id: 'SubscriberPreferences',
    description: 'Channel preferences of a subscriber, global and by workflow.',
  })

const byChannel = (preferences: readonly ChannelPreference[]) =>
  Object.fromEntries(preferences.map(({ channel, enabled }) => [channel, enabled]))

const sources = { subscriber: 'subscriber', workflow: 'template' } as const

async function showPreferences(
  { enabled, channels, ...key }: SubscriberPreferences,
  scope: DoorScope,
): Promise<z.input<typeof preferencesView>> {
  const { subscriberId, contextKeys } = key
  const workflows = await allWorkflowPreferences(scope, { subscriberId, contextKeys: [...contextKeys] })
  return {
    global: { enabled, channels: byChannel(channels) },
    workflows: workflows.map(({ workflow: { identifier, name, critical, tags }, enabled, channels }) => ({
      enabled,
      channels: byChannel(channels),
      overrides: channels.map(({ channel, source }) => ({ channel, source: sources[source] })),
      workflow: { slug: identifier, identifier, name, critical, tags },
    })),
  }
}

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
    view: showPreferences,
  }),
  route({
    method: 'patch',
    path: '/v2/subscribers/{subscriberId}/preferences',
    summary: 'Update the preferences of a subscriber for one workflow, or globally if none is given',
    example: { channels: { email: false } },
    params: bySubscriberId,
    // Without a misspelled workflowId, a change would apply to all workflows.
    body: updateInput.omit({ subscriberId: true }).strict(),
    ignored: { schedule: 'has no effect: preferences have no schedule' },
    resolver: updateSubscriberPreferences,
    statuses: [200],
    response: preferencesView,
    async view(output, scope, { warnings }) {
      return { ...(await showPreferences(output, scope)), ...asWarnings([...warnings, ...output.notes]) }
    },
  }),
]
