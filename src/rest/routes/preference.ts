// Subscriber preferences at the REST door.
import { z } from 'zod'
import { Channel } from '../../data/prisma/enums.ts'
import {
  type ChannelPreference,
  subscriberPreferences,
  type SubscriberPreferences,
  updateSubscriberPreferences,
} from '../../domain/preference.ts'
import { route } from '../route.ts'
import { bySubscriberId } from '../views.ts'

const channels = z
  .partialRecord(z.enum(Channel), z.boolean())
  .meta({ description: 'Whether each channel may be used.' })

const preferencesView = z
  .object({
    global: z
      .object({ enabled: z.boolean(), channels })
      .meta({ description: 'What holds unless a workflow says otherwise.' }),
    workflows: z.array(
      z.object({
        enabled: z.boolean(),
        channels,
        overrides: z
          .array(z.object({ channel: z.enum(Channel), source: z.enum(['subscriber', 'template']) }))
          .meta({ description: 'Who decided for each channel: the subscriber, or nobody but the workflow.' }),
        workflow: z.object({ slug: z.string(), identifier: z.string(), name: z.string() }),
      }),
    ),
  })
  .meta({
    id: 'SubscriberPreferences',
    description: 'Which channels a subscriber wants, in general and of each workflow.',
  })

const byChannel = (preferences: readonly ChannelPreference[]) =>
  Object.fromEntries(preferences.map(({ channel, enabled }) => [channel, enabled]))

const sources = { subscriber: 'subscriber', workflow: 'template' } as const

function showPreferences({ global, workflows }: SubscriberPreferences): z.input<typeof preferencesView> {
  return {
    global: { enabled: global.enabled, channels: byChannel(global.channels) },
    workflows: workflows.map(({ workflow: { identifier, name }, enabled, channels }) => ({
      enabled,
      channels: byChannel(channels),
      overrides: channels.map(({ channel, source }) => ({ channel, source: sources[source] })),
      workflow: { slug: identifier, identifier, name },
    })),
  }
}

const { input: updateInput } = updateSubscriberPreferences.definition

export const preferenceRoutes = [
  route({
    method: 'get',
    path: '/v2/subscribers/{subscriberId}/preferences',
    summary: "Read a subscriber's preferences under exactly these contexts",
    params: bySubscriberId,
    query: z.object({
      contextKeys: z
        .array(z.string())
        .optional()
        .meta({ description: 'Each `<type>:<id>`. Absent or empty means without context.' }),
    }),
    resolver: subscriberPreferences,
    input: ({ params, query }) => ({ ...params, ...query }),
    statuses: [200],
    answer: preferencesView,
    view: showPreferences,
  }),
  route({
    method: 'patch',
    path: '/v2/subscribers/{subscriberId}/preferences',
    summary: "Change a subscriber's preferences: of one workflow, or of all when none is named",
    example: { channels: { email: false } },
    params: bySubscriberId,
    body: updateInput.omit({ subscriberId: true }),
    resolver: updateSubscriberPreferences,
    input: ({ params, body }) => ({ ...body, ...params }),
    statuses: [200],
    answer: preferencesView,
    view: showPreferences,
  }),
]
