// Permissions: the closed list, and the permissions of each kind of caller.
import type { ApiKeyAccess } from '../../data/prisma/enums.ts'
import { type Noun, nouns } from './noun.ts'

export type Permission = `${Noun}:${'read' | 'write'}`

/** Nouns whose rows belong to one subscriber under one exact set of contexts. A session can access its own rows. */
const ownedNouns = ['preference', 'topicSubscription', 'notification'] as const satisfies readonly Noun[]

/** A permission that sessions can have. A resolver that requires it names the owner of its rows. */
export type OwnPermission = `${(typeof ownedNouns)[number]}:${'read' | 'write'}`

/** Returns the noun of a permission. */
export function nounOf(permission: Permission): (typeof nouns)[number] {
  const noun = nouns.find(({ name }) => permission.startsWith(`${name}:`))
  if (noun === undefined) throw new Error(`the permission ${permission} has no noun`)
  return noun
}

const reading: readonly Permission[] = nouns.map(({ name }): Permission => `${name}:read`)
const writing: readonly Permission[] = nouns.map(({ name }): Permission => `${name}:write`)

/** Signing in to and out of the dashboard, which changes nothing in the environment. */
const SIGN_IN: Permission = 'dashboardSession:write'

/** The permissions of an API key or a dashboard session, by its access. */
export const permissionsOf: Readonly<Record<ApiKeyAccess, ReadonlySet<Permission>>> = {
  full: new Set([...reading, ...writing]),
  read_only: new Set([...reading, SIGN_IN]),
  // administration.ts decides which environments a key administers.
  admin: new Set([...reading, ...writing]),
}

const readingOwn: readonly Permission[] = ['session:read', ...ownedNouns.map((noun): OwnPermission => `${noun}:read`)]
const writingOwn: readonly Permission[] = ownedNouns.map((noun): OwnPermission => `${noun}:write`)

/** The permissions of a session, by the access of the API keys that signed it. */
export const permissionsOfSession: Readonly<Record<ApiKeyAccess, ReadonlySet<Permission>>> = {
  full: new Set([...readingOwn, ...writingOwn]),
  read_only: new Set(readingOwn),
  admin: new Set([...readingOwn, ...writingOwn]),
}

/** The permissions of a link in a message. */
export const permissionsOfLink: ReadonlySet<Permission> = new Set(['preference:read', 'preference:write'])

/** The permissions of a provider: only to report. */
export const permissionsOfProvider: ReadonlySet<Permission> = new Set(['deliveryReport:write', 'inboundText:write'])

/** The permissions of a public caller: only to open a session. */
export const permissionsOfPublicCaller: ReadonlySet<Permission> = new Set(['session:write'])

/** The permissions of a request without credentials. */
export const permissionsOfAnonymousCaller: ReadonlySet<Permission> = new Set([SIGN_IN])

/** True if a caller with these permissions can change anything in its environment. */
export const canWrite = (permissions: ReadonlySet<Permission>): boolean =>
  [...permissions].some((permission) => permission.endsWith(':write') && permission !== SIGN_IN)
