// What a caller may do: one closed list, and who is given what.
import type { ApiKeyAccess } from '../data/prisma/enums.ts'

const nouns = [
  'environment',
  'apiKey',
  'context',
  'subscriber',
  'integration',
  'channelEndpoint',
  'topic',
  'workflow',
  'preference',
  'topicSubscription',
  'event',
] as const

export type Noun = (typeof nouns)[number]
export type Permission = `${Noun}:${'read' | 'write'}`

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
