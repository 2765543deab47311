// Routes of subscriber preferences in the client's words.
import { z } from 'zod'
import { subscriberPreferences, updateSubscriberPreferences } from '../../../../domain/preference/preference.ts'
import { asWarnings } from '../../../ignored-fields.ts'
import { preferenceRoutes, preferencesView, showSubscriberPreferences } from '../../../routes/preference.ts'
import { bySubscriberId } from '../../../views.ts'
import { route } from '../../../route.ts'
import { reuse } from '../../../vocabulary.ts'
import { prefix } from '../words/prefix.ts'

interface Listed {
  readonly workflow: { readonly critical: boolean }
}

/** Whether the preferences for a workflow are listed, by the value of `criticality`. */
export const isListed = {
  all: () => true,
  critical: ({ workflow }: Listed) => workflow.critical,
  nonCritical: ({ workflow }: Listed) => !workflow.critical,
} as const

const { input } = updateSubscriberPreferences.definition

export const novuPreferenceRoutes = [
  ...reuse(prefix, preferenceRoutes, ['PATCH /v2/subscribers/{subscriberId}/preferences/bulk']),
  route({
    method: 'get',
    path: `${prefix}/v2/subscribers/{subscriberId}/preferences`,
    summary: 'Read the preferences of a subscriber',
    params: bySubscriberId,
    query: z.object({
      contextKeys: z.array(z.string()).optional().meta({
        description: 'Contexts of the preferences, each as `<type>:<id>`. Default: the preferences without contexts.',
      }),
      criticality: z
        .enum(['all', 'critical', 'nonCritical'])
        .default('nonCritical')
        .meta({ description: 'Workflows to list: critical ones ignore preferences.' }),
    }),
    resolver: subscriberPreferences,
    statuses: [200],
    response: preferencesView,
    async view(found, scope, { query: { criticality } }) {
      const { workflows, ...shown } = await showSubscriberPreferences(found, scope)
      return { ...shown, workflows: workflows.filter(isListed[criticality]) }
    },
  }),
  route({
    method: 'patch',
    path: `${prefix}/v2/subscribers/{subscriberId}/preferences`,
    summary: 'Update the preferences of a subscriber for one workflow, or for all workflows if none is given',
    example: { channels: { email: false } },
    params: bySubscriberId,
    // Without a misspelled workflowId, a change would apply to all workflows.
    body: input.omit({ subscriberId: true, id: true }).strict(),
    resolver: updateSubscriberPreferences,
    statuses: [200],
    response: preferencesView,
    async view(output, scope) {
      return { ...(await showSubscriberPreferences(output, scope)), ...asWarnings(output.notes) }
    },
  }),
]
