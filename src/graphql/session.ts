// Browser sessions in the graph.
import { openSession, session, type Session as SessionRow } from '../domain/session.ts'
import { builder, type ObjectFields } from './schema/builder.ts'
import { formerNameOf, replacedBy } from './schema/former-name.ts'
import { mutationField, part } from './schema/mutation.ts'
import { queryField } from './schema/query.ts'
import { subscriberIdField } from './subscriber.ts'
import { byDefault, keysIn, nullIfFailed } from './schema/wording.ts'

const sessionFields = (t: ObjectFields<SessionRow>) => ({
  subscriberId: t.exposeString('subscriberId', { description: 'The subscriberId of the subscriber.' }),
  contextKeys: t.expose('contextKeys', {
    type: t.listRef('String'),
    description: keysIn('session'),
  }),
  expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'The time the session expires.' }),
})

export const Session = builder.objectRef<SessionRow>('Session').implement({
  description:
    'The access of a browser, in place of an API key: one subscriber in exactly one set of contexts, for one hour.',
  fields: sessionFields,
})

const OpenedSession = builder.objectRef<SessionRow>('OpenedSession').implement({
  description: 'A browser session that was just opened. `Query.session` has its feed and preferences.',
  fields: sessionFields,
})

queryField('session', {
  description: 'The browser session of the caller. Null if the request was made with an API key.',
  type: Session,
  nullable: true,
  resolver: session,
})

mutationField('openSession', {
  description:
    'Opens a session for a browser. Send `Authorization: Environment <public identifier>` with this mutation, and `Authorization: Session <token>` afterwards. Creates the subscriber and the contexts if they do not exist.',
  input: (t) => ({
    subscriberId: subscriberIdField(t),
    subscriberHash: t.string({
      required: true,
      description:
        'HMAC-SHA256 of the subscriberId in lower-case hex, keyed with any active API key of the environment.',
    }),
    context: t.field({
      type: 'JSONObject',
      description: `The contexts by type. Each value is an identifier, or \`{id, data}\` with the data for a new context. The object has the same form as in the REST API, so its hash is the same. ${byDefault('none')}`,
    }),
    contextHash: t.string({
      description:
        'HMAC-SHA256 of the context in lower-case hex, keyed like subscriberHash. The context is serialized as JSON without spaces, with the keys of all objects sorted. Required if there is a context.',
    }),
  }),
  resolver: openSession,
  payload: {
    token: (t) => part(t, 'String', 'The token to send as `Authorization: Session <token>`.', ({ token }) => token),
    openedSession: (t) => part(t, OpenedSession, 'The session.', ({ session }) => session),
    session: (t) =>
      t.field({
        type: Session,
        nullable: true,
        description: `${formerNameOf('openedSession')} Its feed and preferences can only be read with the token. ${nullIfFailed}`,
        deprecationReason: replacedBy('openedSession'),
        resolve: ({ result }) => result?.session,
      }),
  },
})
