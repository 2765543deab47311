// Routes of links to preference pages.
import { z } from 'zod'
import { createPreferenceLink } from '../../domain/link/preference-link.ts'
import { route } from '../route.ts'
import { bySubscriberId } from '../views.ts'

export const preferenceLinkRoutes = [
  route({
    method: 'post',
    path: '/v2/subscribers/{subscriberId}/preferences/link',
    summary: 'Create a link to the preference page of a subscriber',
    example: { context: { tenant: 'acme' } },
    params: bySubscriberId,
    body: createPreferenceLink.definition.input.omit({ subscriberId: true, id: true }),
    resolver: createPreferenceLink,
    statuses: [201],
    response: z
      .object({
        url: z.string().meta({
          description: 'URL of the page. It has no expiry, and anyone who has it can change the preferences.',
        }),
      })
      .meta({ id: 'PreferenceLink', description: 'Link to the preference page of a subscriber.' }),
    view: ({ url }) => ({ url }),
  }),
]
