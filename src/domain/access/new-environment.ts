// Writes new environments, with a readable slug and a random public identifier.
import { randomBytes } from 'node:crypto'
import type { Connection } from '../../data/connection/database.ts'
import type { Environment } from '../../data/prisma/client.ts'
import type { EnvironmentType, SendingMode } from '../../data/prisma/enums.ts'
import type { Scope } from '../resolver/scope.ts'
import { newSendingMode } from './sending.ts'

/** Returns a readable slug for URLs. The end of the id makes it unique. */
function slugOf(name: string, id: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return [words, id.slice(-6)].filter((part) => part !== '').join('-')
}

/** Returns a public identifier that nobody knows. */
export const newIdentifier = () => randomBytes(9).toString('base64url')

interface NewEnvironment {
  readonly organizationId: string
  readonly name: string
  readonly color: string
  readonly type: EnvironmentType
  readonly parentId: string | null
  /** The database with its rows. Default: the main one. */
  readonly database?: string | null
  /** The environment of the API key that creates it. Null if no key does. */
  readonly creatorId?: string | null
  /** Default: that of its type. */
  readonly sending?: SendingMode | undefined
  readonly redirectTo?: string | null | undefined
  readonly allowedDestinations?: readonly string[] | undefined
}

/** Writes an environment with a new public identifier and slug. */
export function writeEnvironment(
  { db, newId, now }: Pick<Scope, 'newId' | 'now'> & { db: Connection },
  { sending, redirectTo, allowedDestinations = [], ...environment }: NewEnvironment,
): Promise<Environment> {
  const id = newId()
  const createdAt = now()
  return db.environment.create({
    data: {
      ...environment,
      id,
      identifier: newIdentifier(),
      slug: slugOf(environment.name, id),
      sending: sending ?? newSendingMode(environment.type),
      redirectTo: redirectTo ?? null,
      allowedDestinations: [...allowedDestinations],
      createdAt,
      updatedAt: createdAt,
    },
  })
}
