// The callers of API keys, sessions and environments. Read for requests whose caller is not in the cache.
import type { Connection } from './database.ts'
import { Prisma } from './prisma/client.ts'
import type { ApiKeyAccess } from './prisma/enums.ts'
import { runStatement } from './statement.ts'

/** The NOTIFY channel for changes of keys and environments. Triggers send the id of the environment. */
export const CALLER_CHANNEL = 'caller'

/** An active API key, with its environment and its creator. */
export interface KeyOwner {
  readonly environmentId: string
  readonly organizationId: string
  readonly id: string
  readonly userId: string
  readonly access: ApiKeyAccess
}

/** Active keys that a condition holds for. */
const owners = (condition: Prisma.Sql) => Prisma.sql`
  SELECT environment.id AS "environmentId", environment.organization_id AS "organizationId", key.id,
         key.user_id AS "userId", key.access
  FROM api_keys AS key JOIN environments AS environment ON environment.id = key.environment_id
  WHERE key.revoked_at IS NULL AND ${condition}`

/** Returns the owner of the active key with this hash. */
export async function findKeyOwner(db: Connection, hash: string): Promise<KeyOwner | undefined> {
  const [found] = await runStatement<KeyOwner>(db, owners(Prisma.sql`key.hash = ${hash}`))
  return found
}

/** Returns the owners of these keys of an environment, except revoked ones. */
export function findKeyOwners(db: Connection, environmentId: string, ids: readonly string[]): Promise<KeyOwner[]> {
  const condition = Prisma.sql`key.environment_id = ${environmentId}::uuid AND key.id = ANY(${[...ids]}::uuid[])`
  return runStatement<KeyOwner>(db, owners(condition))
}
