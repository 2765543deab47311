// Sessions of browsers in the graph.
import { openSession, session, type Session as SessionRow } from '../domain/session.ts'
import { builder } from './schema/builder.ts'
import { mutationField } from './schema/mutation.ts'
import { calls } from './schema/resolver-extension.ts'
import { subscriberIdField } from './subscriber.ts'

export const Session = builder.objectRef<SessionRow>('Session').implement({
  description:
    'What a browser may reach in the place of an API key: one subscriber under one exact set of contexts, for an hour.',
  fields: (t) => ({
    subscriberId: t.exposeString('subscriberId', { description: 'The subscriber that it is for.' }),
    contextKeys: t.stringList({
      description: 'The contexts that it is for, each `<type>:<identifier>`, sorted. Empty means without context.',
      resolve: ({ contextKeys }) => [...contextKeys],
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it ends.' }),
  }),
})

builder.queryFields((t) => ({
  session: t.field({
    ...calls(session),
    type: Session,
    nullable: true,
    description: 'The session that asks. Null when an API key asks.',
    resolve: (_root, _args, { scope }) => session(scope, {}),
  }),
}))

mutationField('openSession', {
  description:
    'Opens a session for a browser, which must not hold an API key. It is called with `Authorization: Environment <public identifier>`, and its token is then sent as `Authorization: Session <token>`. The subscriber and the contexts are made when they do not exist yet.',
  input: (t) => ({
    subscriberId: subscriberIdField(t),
    subscriberHash: t.string({
      required: true,
      description:
        'HMAC-SHA256 of the subscriberId in lower-case hex, keyed with any active API key of the environment.',
    }),
    context: t.field({
      type: 'JSONObject',
      description:
        'The contexts by their types: each an identifier, or `{id, data}` to make it with. At REST it is the same object, so that one hash serves both. Absent or empty means without context.',
    }),
    contextHash: t.string({
      description:
        'HMAC-SHA256 of the context as it is sent, written as JSON with the keys of every object sorted and no spaces, in lower-case hex and keyed like subscriberHash. Needed where there is a context.',
    }),
  }),
  resolver: openSession,
  decode: (input) => input,
  payload: (t) => ({
    token: t.string({
      nullable: true,
      description: 'What the browser sends as `Authorization: Session <token>`. Null when refused.',
      resolve: ({ result }) => result?.token,
    }),
    session: t.field({
      type: Session,
      nullable: true,
      description: 'What it opens. Null when refused.',
      resolve: ({ result }) => result?.session,
    }),
  }),
})
