// The route that opens a browser session.
import { z } from 'zod'
import { openSession } from '../../domain/preference/open-session.ts'
import type { OpenedSession } from '../../domain/session.ts'
import { route } from '../route.ts'
import { timestamp } from '../views.ts'

const sessionView = z
  .object({
    token: z.string().meta({
      description:
        'Token that the browser sends as `Authorization: Session <token>`, of a lasting session as `Bearer <token>`.',
    }),
    subscriberId: z.string(),
    contextKeys: z.array(z.string()).meta({ description: 'Contexts, each as `<type>:<id>`, sorted.' }),
    expiresAt: timestamp,
  })
  .meta({
    id: 'Session',
    description:
      'Access to the feed and preferences of one subscriber in one set of contexts, for one hour or 15 days.',
  })

const showSession = ({ token, session }: OpenedSession): z.input<typeof sessionView> => ({
  token,
  subscriberId: session.subscriberId,
  contextKeys: [...session.contextKeys],
  expiresAt: session.expiresAt.toISOString(),
})

const { shape } = openSession.definition.input

export const sessionRoutes = [
  route({
    method: 'post',
    path: '/v1/inbox/session',
    summary: 'Open a browser session',
    example: {
      subscriberId: 'ada',
      subscriberHash: '6f5902ac237024bdd0c176cb93063dc4b5f6f1f2c1a4c4bf7d1bb1d4c9a9c0d1',
      context: { tenant: 'acme' },
      contextHash: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    },
    body: z.object({
      subscriberId: shape.subscriberId,
      subscriberHash: shape.subscriberHash.meta({
        description:
          'HMAC-SHA256 of `subscriberId` in lowercase hex. The key is any active API key of the environment. Required unless the environment allows unsigned sessions.',
      }),
      context: shape.context.meta({
        description: 'Contexts by type: an id, or `{ id, data }` to create a missing context with data.',
      }),
      contextHash: shape.contextHash.meta({
        description:
          'HMAC-SHA256 of `context` as it is sent, serialized as JSON with sorted keys and no whitespace. Required if `context` is given, unless the environment allows unsigned sessions.',
      }),
      profile: shape.profile.meta({
        description: 'Fields to change in the profile of the subscriber. No effect without `subscriberHash`.',
      }),
      defaultSchedule: shape.defaultSchedule.meta({
        description:
          'Schedule of the subscriber under the contexts of the session. No effect if there is one, or if the session is not signed.',
      }),
      kind: shape.kind.meta({
        description:
          'A `renewable` session lives one hour. A `lasting` one lives 15 days, or until its subscriber is deleted. Default: `renewable`.',
      }),
    }),
    resolver: openSession,
    statuses: [201],
    response: sessionView,
    view: showSession,
  }),
]
