// Browser sessions in the graph.
import { openSession, session, type Session as SessionRow } from '../domain/session.ts'
import { builder } from './schema/builder.ts'
import { mutationField, part } from './schema/mutation.ts'
import { queryField } from './schema/query.ts'
import { subscriberIdField } from './subscriber.ts'
import { byDefault, keysIn } from './schema/wording.ts'

export const Session = builder.objectRef<SessionRow>('Session').implement({
  description:
    'The access of a browser, in place of an API key: one subscriber in exactly one set of contexts, for one hour.',
  fields: (t) => ({
    subscriberId: t.exposeString('subscriberId', { description: 'The subscriberId of the subscriber.' }),
    contextKeys: t.expose('contextKeys', {
      type: t.listRef('String'),
      description: keysIn('session'),
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'The time the session expires.' }),
  }),
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
    session: (t) => part(t, Session, 'The session.', ({ session }) => session),
  },
})
