// The callers behind API keys, sessions and environments. Read for requests whose caller is not cached.
import type { Connection } from '../connection/database.ts'
import { Prisma } from '../prisma/client.ts'
import type { ApiKeyAccess } from '../prisma/enums.ts'
import { sql } from '../statement/statement.ts'

/** The NOTIFY channel for changes of keys and environments. Triggers send the id of the environment. */
export const CALLER_CHANNEL = 'caller'

/** An active API key, with its environment and its creator. */
export interface KeyOwner {
  readonly environmentId: string
  readonly organizationId: string
  /** The database with the rows of the environment. Null for the main one. */
  readonly database: string | null
  readonly id: string
  readonly userId: string
  readonly access: ApiKeyAccess
}

/** Active keys that match a condition. */
const owners = (condition: Prisma.Sql) => Prisma.sql`
  SELECT environment.id AS "environmentId", environment.organization_id AS "organizationId", environment.database,
         key.id, key.user_id AS "userId", key.access
  FROM api_keys AS key JOIN environments AS environment ON environment.id = key.environment_id
  WHERE key.revoked_at IS NULL AND ${condition}`

/** Returns the owner of the active key with this hash. */
export async function findKeyOwner(db: Connection, hash: string): Promise<KeyOwner | undefined> {
  const [found] = await sql<KeyOwner>(db, 'caller.findKeyOwner')`${owners(Prisma.sql`key.hash = ${hash}`)}`
  return found
}

/** Returns the owners of these keys of an environment. Leaves out revoked keys. */
export function findKeyOwners(db: Connection, environmentId: string, ids: readonly string[]): Promise<KeyOwner[]> {
  const condition = Prisma.sql`key.environment_id = ${environmentId}::uuid AND key.id = ANY(${[...ids]}::uuid[])`
  return sql<KeyOwner>(db, 'caller.findKeyOwners')`${owners(condition)}`
}

/** A dashboard session, with its environment and the access of the key or code that opened it. */
export interface DashboardOwner {
  /** The environment that the session works in. */
  readonly environmentId: string
  readonly organizationId: string
  /** The database with the rows of that environment. Null for the main one. */
  readonly database: string | null
  readonly id: string
  readonly signInId: string
  /** The environment of the key or code that opened the session. */
  readonly homeId: string
  /** The key that opened the session. Null if a code did. */
  readonly apiKeyId: string | null
  readonly userId: string
  readonly access: ApiKeyAccess
  readonly expiresAt: Date
}

/**
 * Returns the owner of the session with this hash, even if it has expired. Undefined if its key was revoked, or if the
 * session works in another environment and its key is no longer ADMIN.
 */
export async function findDashboardOwner(db: Connection, hash: string): Promise<DashboardOwner | undefined> {
  const [found] = await sql<DashboardOwner>(db, 'caller.findDashboardOwner')`
    SELECT environment.id AS "environmentId", environment.organization_id AS "organizationId", environment.database,
           session.id, session.sign_in_id AS "signInId", session.environment_id AS "homeId", session.api_key_id AS "apiKeyId",
           coalesce(key.user_id, session.user_id) AS "userId", coalesce(key.access, session.access) AS access,
           session.expires_at AS "expiresAt"
    FROM dashboard_sessions AS session
    JOIN environments AS environment ON environment.id = session.working_environment_id
    LEFT JOIN api_keys AS key ON key.environment_id = session.environment_id AND key.id = session.api_key_id
    WHERE session.hash = ${hash} AND key.revoked_at IS NULL
      AND (session.working_environment_id = session.environment_id
        OR coalesce(key.access, session.access) = 'admin')`
  return found
}
