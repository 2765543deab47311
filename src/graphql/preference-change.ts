// The record of consent: changes of the preferences of subscribers.
import {
  preferenceChanges,
  type PreferenceChange as PreferenceChangeRow,
} from '../domain/preference/preference-change.ts'
import { Channel } from './channel.ts'
import { builder, type InputFields } from './schema/builder.ts'
import { connectionOf, createdFields, unchangingListArgs } from './schema/connection.ts'
import { edgeList } from './schema/query.ts'
import { Session } from './session.ts'
import { Subscriber } from './subscriber.ts'
import { anyOfThe, exactContexts, identifierOf, keyOf, keysIn, newestFirst } from './schema/wording.ts'

const PreferenceScope = builder.enumType('PreferenceScope', {
  description: 'The workflows that a choice of a subscriber is about.',
  values: {
    ALL: { value: 'all', description: 'All workflows.' },
    CATEGORY: { value: 'category', description: 'The workflows of a category.' },
    WORKFLOW: { value: 'workflow', description: 'One workflow.' },
  } as const satisfies Record<string, { value: PreferenceChangeRow['scope']; description: string }>,
})

const PreferenceChangeSource = builder.enumType('PreferenceChangeSource', {
  description: 'How a preference was changed.',
  values: {
    API: { value: 'api', description: 'With an API key, or in the dashboard.' },
    SESSION: { value: 'session', description: 'In a browser session of the subscriber, such as by the inbox.' },
    ONE_CLICK: { value: 'one_click', description: 'By the unsubscribe button of a mail client (RFC 8058).' },
    PREFERENCE_PAGE: { value: 'preference_page', description: 'On the preference page.' },
    SMS_KEYWORD: { value: 'sms_keyword', description: 'By a reply to an SMS, such as STOP.' },
    COMPLAINT: { value: 'complaint', description: 'By a complaint about a message, as its provider reports it.' },
    COMMAND_LINE: { value: 'command_line', description: 'By the operator at the command line.' },
  } as const satisfies Record<string, { value: PreferenceChangeRow['source']; description: string }>,
})

export const PreferenceChange = builder.objectRef<PreferenceChangeRow>('PreferenceChange').implement({
  description:
    'A change of the preferences of a subscriber. It is kept until the subscriber is deleted, also when the workflow, the category or the message no longer exists.',
  fields: (t) => ({
    scope: t.expose('scope', { type: PreferenceScope, description: 'The workflows that the choice is about.' }),
    workflowIdentifier: t.exposeString('workflowIdentifier', {
      nullable: true,
      description: `${identifierOf('workflow')} Null for other scopes.`,
    }),
    categoryKey: t.exposeString('categoryKey', {
      nullable: true,
      description: `${keyOf('category')} Null for other scopes.`,
    }),
    channel: t.expose('channel', {
      type: Channel,
      nullable: true,
      description: 'The channel. Null if the choice is about all channels.',
    }),
    enabled: t.exposeBoolean('enabled', {
      nullable: true,
      description: 'True if it was turned on, false if it was turned off. Null if the choice was removed.',
    }),
    source: t.expose('source', { type: PreferenceChangeSource, description: 'How the preference was changed.' }),
    contextKeys: t.expose('contextKeys', { type: t.listRef('String'), description: keysIn('preference') }),
    at: t.expose('createdAt', { type: 'DateTime', description: 'The time of the change.' }),
  }),
})

const conditions = (t: InputFields) => ({
  source: t.field({ type: PreferenceChangeSource, description: 'How the preference was changed.' }),
  sources: t.field({ type: [PreferenceChangeSource], description: anyOfThe('sources') }),
  channel: t.field({ type: Channel, description: 'The channel. Changes of all channels do not match.' }),
  channels: t.field({ type: [Channel], description: anyOfThe('channels') }),
  workflowIdentifier: t.string({ description: identifierOf('workflow') }),
  workflowIdentifiers: t.stringList({ description: anyOfThe('workflows, by identifier') }),
  categoryKey: t.string({ description: keyOf('category') }),
  categoryKeys: t.stringList({ description: anyOfThe('categories, by key') }),
  contextKeys: t.stringList({ description: exactContexts('changes') }),
  ...createdFields(t),
})

const list = {
  connection: connectionOf(PreferenceChange, 'A page of the changes of preferences.'),
  args: unchangingListArgs('PreferenceChange', conditions),
  resolver: preferenceChanges,
}

builder.objectField(Subscriber, 'preferenceChanges', (t) =>
  edgeList(t, {
    ...list,
    description: `The record of consent: each change of the preferences of the subscriber, under all contexts. ${newestFirst}`,
    decode: ({ subscriberId }, args) => ({ ...args, subscriberId }),
  }),
)

builder.objectField(Session, 'preferenceChanges', (t) =>
  edgeList(t, {
    connection: list.connection,
    description: "Each change of the subscriber's preferences under the contexts of the session, newest first.",
    resolver: preferenceChanges,
    decode: ({ subscriberId }, args) => ({ ...args, subscriberId }),
  }),
)
