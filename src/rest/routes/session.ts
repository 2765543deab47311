// Sessions of browsers at the REST door.
import { z } from 'zod'
import { type OpenedSession, openSession } from '../../domain/session.ts'
import { route } from '../route.ts'
import { timestamp } from '../views.ts'

const sessionView = z
  .object({
    token: z.string().meta({ description: 'What the browser sends as `Authorization: Session <token>`.' }),
    subscriberId: z.string(),
    contextKeys: z.array(z.string()).meta({ description: 'Each `<type>:<id>`, sorted.' }),
    expiresAt: timestamp,
  })
  .meta({
    id: 'Session',
    description:
      'What a browser may reach in the place of an API key: one subscriber under one exact set of contexts, for an hour.',
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
    summary: 'Open a session for a browser, which must not hold an API key',
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
          'HMAC-SHA256 of the subscriberId in lower-case hex, keyed with any active API key of the environment.',
      }),
      context: shape.context.meta({
        description: 'The contexts by their types: each an id, or `{id, data}` to make it with.',
      }),
      contextHash: shape.contextHash.meta({
        description:
          'The same over the context as it is sent, written as JSON with the keys of every object sorted and no spaces. Needed where there is a context.',
      }),
    }),
    resolver: openSession,
    input: ({ body }) => body,
    statuses: [201],
    answer: sessionView,
    view: showSession,
  }),
]
