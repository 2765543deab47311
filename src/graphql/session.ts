// Browser sessions in the graph.
import { session, type Session as SessionRow } from '../domain/session.ts'
import { builder, type ObjectFields } from './schema/builder.ts'
import { queryField } from './schema/query.ts'
import { keysIn } from './schema/wording.ts'

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
    'The access of a browser, in place of an API key: one subscriber in exactly one set of contexts, for a limited time.',
  fields: sessionFields,
})

export const OpenedSession = builder.objectRef<SessionRow>('OpenedSession').implement({
  description: 'A browser session that was just opened. `Query.session` has its feed and preferences.',
  fields: sessionFields,
})

queryField('session', {
  description: 'The browser session of the caller. Null if the request was made with an API key.',
  type: Session,
  nullable: true,
  resolver: session,
})
