// Dashboard sessions in the graph.
import {
  closeDashboardSession,
  dashboardSession,
  type DashboardSession as DashboardSessionRow,
  MAX_MINUTES_LEFT,
  openDashboardSession,
  renewDashboardSession,
} from '../../domain/access/dashboard-session.ts'
import { ownEnvironment } from '../../domain/access/environment.ts'
import { nounOf, permissionsOf } from '../../domain/resolver/permission.ts'
import { builder } from '../schema/builder.ts'
import { formerNameOf, replacedBy } from '../schema/former-name.ts'
import { mutationField, part } from '../schema/mutation.ts'
import { rowIdOf } from '../schema/node-id.ts'
import { edge, queryField } from '../schema/query.ts'
import { ApiKeyAccess } from './api-key.ts'
import { Environment } from './environment.ts'
import { byDefault, nullIfFailed, pluralOf, wordsOf } from '../schema/wording.ts'

const Permission = builder.enumType('Permission', {
  description: 'A permission of an API key or a session: to read or to write objects of one kind.',
  values: Object.fromEntries(
    [...permissionsOf.full].map((permission) => {
      const { name } = nounOf(permission)
      const verb = permission.endsWith(':read') ? 'READ' : 'WRITE'
      const words = wordsOf(name)
      return [
        `${words.replaceAll(' ', '_').toUpperCase()}_${verb}`,
        { value: permission, description: `To ${verb.toLowerCase()} ${pluralOf(words)}.` },
      ]
    }),
  ),
})

const DashboardSession = builder.objectRef<DashboardSessionRow>('DashboardSession').implement({
  description:
    'The access of the dashboard to one environment, in place of an API key. A session ends when it is closed, when the API key that signed in is revoked, or twelve hours after the sign-in or the last renewal.',
  fields: (t) => ({
    environment: edge(t, {
      description: 'The environment.',
      type: Environment,
      resolver: ownEnvironment,
      decode: () => ({}),
      known: ({ environment }) => environment,
    }),
    access: t.expose('access', { type: ApiKeyAccess, description: 'The access of the API key that signed in.' }),
    grantedPermissions: t.expose('permissions', {
      type: t.listRef(Permission),
      description: 'The permissions of the session.',
    }),
    permissions: t.expose('permissions', {
      type: t.listRef('String'),
      description: `${formerNameOf('grantedPermissions')} The permissions as text, such as \`topic:write\`.`,
      deprecationReason: replacedBy('grantedPermissions'),
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'The time the session expires.' }),
  }),
})

queryField('dashboardSession', {
  description: 'The dashboard session of the caller. Null if the request was made with an API key.',
  type: DashboardSession,
  nullable: true,
  resolver: dashboardSession,
})

mutationField('openDashboardSession', {
  description:
    'Opens a dashboard session with an API key or a sign-in code. A request that contains only this mutation needs no Authorization header. Send `Authorization: Dashboard <token>` afterwards. With the access ADMIN, a caller can open a session in any environment of the organization. That session ends together with the session that opened it.',
  input: (t) => ({
    apiKey: t.string({
      description: `An API key. The session has the environment and the access of the key. ${byDefault('none')}`,
    }),
    code: t.string({
      description: `A sign-in code, from a link that \`notification-gateway login\` prints. Valid once. ${byDefault('none')}`,
    }),
    environmentId: t.id({
      description:
        'The node id of another environment of the organization. Requires a caller with the access ADMIN. Exactly one of `apiKey`, `code` and `environmentId` is required.',
    }),
  }),
  resolver: openDashboardSession,
  decode: ({ environmentId, ...given }) => ({
    ...given,
    environmentId: environmentId && rowIdOf(Environment, environmentId, 'environmentId'),
  }),
  payload: {
    token: (t) =>
      part(
        t,
        'String',
        'The token to send as `Authorization: Dashboard <token>`. It cannot be read again.',
        ({ token }) => token,
      ),
    dashboardSession: (t) => part(t, DashboardSession, 'The session.', ({ dashboardSession }) => dashboardSession),
  },
})

mutationField('renewDashboardSession', {
  description:
    'Renews the dashboard session of the caller in its last hour: it and all sessions of the same sign-in last for twelve more hours, at most until 24 hours after the sign-in. Earlier than that, nothing changes.',
  input: (t) => ({
    minutesLeft: t.int({
      description: `The session is renewed only if at most this many minutes are left: 1 to ${MAX_MINUTES_LEFT}. ${byDefault(String(MAX_MINUTES_LEFT))}`,
    }),
  }),
  resolver: renewDashboardSession,
  decode: ({ minutesLeft }) => ({ minutesLeft: minutesLeft ?? undefined }),
  payload: { dashboardSession: DashboardSession },
})

mutationField('closeDashboardSession', {
  description:
    'Signs out: closes the dashboard session of the caller, every session that it opened, and the session that opened it.',
  input: (t) => ({
    everywhere: t.boolean({
      description: `True also closes every other session opened with the same API key or, for a session opened with a sign-in code, every session opened with a code. ${byDefault('false')}`,
    }),
  }),
  resolver: closeDashboardSession,
  payload: (t) => ({
    closed: t.int({
      nullable: true,
      description: `The number of closed sessions. ${nullIfFailed}`,
      resolve: ({ result }) => result?.closed,
    }),
  }),
})
