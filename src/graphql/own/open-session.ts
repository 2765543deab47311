// The mutation that opens a browser session.
import { openSession } from '../../domain/preference/open-session.ts'
import { builder } from '../schema/builder.ts'
import { formerNameOf, replacedBy } from '../schema/former-name.ts'
import { mutationField, part } from '../schema/mutation.ts'
import { byDefault, nullIfFailed } from '../schema/wording.ts'
import { OpenedSession, Session } from '../session.ts'
import { profileFields, subscriberIdField } from '../subscriber.ts'
import { locateInSchedule, readSchedule, SubscriberScheduleInput } from '../preference/schedule.ts'

const SessionKind = builder.enumType('SessionKind', {
  description: 'How long a browser session lives, and how its token is sent.',
  values: {
    RENEWABLE: {
      value: 'renewable',
      description: 'One hour, for pages that then open another session. `Authorization: Session <token>`.',
    },
    LASTING: {
      value: 'lasting',
      description:
        '15 days, for pages that open no other session. Also ends when its subscriber is deleted. `Authorization: Bearer <token>`.',
    },
  } as const,
})

const SessionProfileInput = builder.inputType('SessionProfileInput', {
  description: 'The profile of the subscriber who opens a session.',
  fields: profileFields,
})

mutationField('openSession', {
  description:
    'Opens a session for a browser. Send `Authorization: Environment <public identifier>` with this mutation, and the token afterwards. Creates the subscriber and the contexts if they do not exist. Hashes are required unless the environment allows unsigned sessions. An unsigned session changes no profile and stores no data of contexts.',
  input: (t) => ({
    subscriberId: subscriberIdField(t),
    subscriberHash: t.string({
      description:
        'HMAC-SHA256 of the subscriberId in lower-case hex, keyed with any active API key of the environment. Required unless the environment allows unsigned sessions.',
    }),
    context: t.field({
      type: 'JSONObject',
      description: `The contexts by type. Each value is an identifier, or \`{id, data}\` with the data for a new context. The object has the same form as in the REST API, so its hash is the same. ${byDefault('none')}`,
    }),
    contextHash: t.string({
      description:
        'HMAC-SHA256 of the context in lower-case hex, keyed like subscriberHash. The context is serialized as JSON without spaces, with the keys of all objects sorted. Control characters in strings may be escaped or not. Required if there is a context, unless the environment allows unsigned sessions.',
    }),
    profile: t.field({
      type: SessionProfileInput,
      description: 'Fields to change in the profile of the subscriber. No effect without subscriberHash.',
    }),
    defaultSchedule: t.field({
      type: SubscriberScheduleInput,
      description:
        'The schedule of the subscriber under the contexts of the session. No effect if there is one, or if the session is not signed.',
    }),
    kind: t.field({ type: SessionKind, description: `The kind of the session. ${byDefault('`RENEWABLE`')}` }),
  }),
  resolver: openSession,
  decode: ({ defaultSchedule, ...given }) => ({
    ...given,
    defaultSchedule: defaultSchedule && readSchedule(defaultSchedule),
  }),
  locate: ([field = '', ...rest], { defaultSchedule }) =>
    field === 'defaultSchedule' ? [field, ...locateInSchedule(rest, defaultSchedule)] : [field, ...rest],
  payload: {
    token: (t) => part(t, 'String', 'The token, for the header of its kind of session.', ({ token }) => token),
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
