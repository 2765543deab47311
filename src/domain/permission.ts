// What a caller may do: one closed list, and who is given what.
import type { ApiKeyAccess } from '../data/prisma/enums.ts'

const nouns = [
  'environment',
  'apiKey',
  'context',
  'subscriber',
  'session',
  'integration',
  'channelEndpoint',
  'topic',
  'workflow',
  'preference',
  'topicSubscription',
  'event',
  'notification',
] as const

export type Noun = (typeof nouns)[number]
export type Permission = `${Noun}:${'read' | 'write'}`

/** What belongs to one subscriber under one exact set of contexts. A session reaches its own. */
const ownedNouns = ['preference', 'notification'] as const satisfies readonly Noun[]

/** A permission that sessions have: whatever asks for it says whose its things are. */
export type OwnPermission = `${(typeof ownedNouns)[number]}:${'read' | 'write'}`

/** What a permission is about. */
export function nounOf(permission: Permission): Noun {
  return permission.slice(0, permission.indexOf(':')) as Noun
}

const reading: readonly Permission[] = nouns.map((noun): Permission => `${noun}:read`)
const writing: readonly Permission[] = nouns.map((noun): Permission => `${noun}:write`)

/** What a key of each access may do in its environment. */
export const permissionsOf: Readonly<Record<ApiKeyAccess, ReadonlySet<Permission>>> = {
  full: new Set([...reading, ...writing]),
  read_only: new Set(reading),
}

const readingOwn: readonly Permission[] = ['session:read', ...ownedNouns.map((noun): OwnPermission => `${noun}:read`)]
const writingOwn: readonly Permission[] = ownedNouns.map((noun): OwnPermission => `${noun}:write`)

/** What a session may do, by the access of the keys that vouch for it: no more than they. */
export const permissionsOfSession: Readonly<Record<ApiKeyAccess, ReadonlySet<Permission>>> = {
  full: new Set([...readingOwn, ...writingOwn]),
  read_only: new Set(readingOwn),
}

/** What somebody may do who only names the environment: open a session. */
export const permissionsOfPublicCaller: ReadonlySet<Permission> = new Set(['session:write'])
