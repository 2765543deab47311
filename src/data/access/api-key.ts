// API keys: rows and pages.
import { inOrganizationOf } from './environment.ts'
import type { Connection } from '../connection/database.ts'
import { type Batch, rowBatch } from '../reading/loader.ts'
import { environmentPages } from '../reading/page.ts'
import { type ApiKey, Prisma } from '../prisma/client.ts'
import { selectList, type Table } from '../statement/table.ts'
import { limitTo, sql } from '../statement/statement.ts'
import { NIL_ID } from '../../lib/new-id.ts'

/** An API key without its hash and its encrypted secret. */
export type ShownApiKey = Omit<ApiKey, 'hash' | 'cipher'>

const apiKeyTable: Table<ShownApiKey> = {
  name: 'api_keys',
  fields: Object.values(Prisma.ApiKeyScalarFieldEnum).filter((field) => field !== 'hash' && field !== 'cipher'),
}

/** API keys of the tenant's organization, by id. */
export const apiKeysById = rowBatch<ShownApiKey>(
  ({ db, environmentId }, ids) =>
    sql<ShownApiKey>(db, 'api-key.apiKeysById')`
      SELECT ${selectList(apiKeyTable, 'child')} FROM api_keys AS child
      JOIN environments AS environment ON environment.id = child.environment_id
      WHERE child.id = ANY (${[...ids]}::uuid[]) AND ${inOrganizationOf(environmentId)}`,
  ({ id }) => id,
)

/** A key, with the name of its environment. */
export interface NamedApiKey extends ShownApiKey {
  readonly environmentName: string
}

/** Keys in a page of all keys of an organization. */
const KEYS = 500

/** Yields the keys of all environments of an organization in pages, ordered by environment and id. */
export async function* keysOfOrganization(
  db: Connection,
  organizationId: string,
): AsyncGenerator<readonly NamedApiKey[]> {
  let after = { environmentId: NIL_ID, id: NIL_ID }
  for (;;) {
    const page = await sql<NamedApiKey>(db, 'api-key.keysOfOrganization')`
      SELECT ${selectList(apiKeyTable, 'child')}, environment.name AS "environmentName" FROM api_keys AS child
      JOIN environments AS environment ON environment.id = child.environment_id
      WHERE environment.organization_id = ${organizationId}::uuid
        AND (child.environment_id, child.id) > (${after.environmentId}::uuid, ${after.id}::uuid)
      ORDER BY child.environment_id, child.id ${limitTo(KEYS)}`
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < KEYS) return
    after = last
  }
}

export const apiKeyPages = environmentPages<ShownApiKey, null>({
  name: 'apiKeys',
  table: apiKeyTable,
  where: () => Prisma.empty,
})

/**
 * True for each environment of the tenant's organization that has an active key with the access ADMIN, by environment
 * id.
 */
export const haveAdminKeys: Batch<string, boolean> = {
  async load({ db, environmentId }, ids) {
    const rows = await sql<{ readonly id: string }>(db, 'api-key.lastUses')`
      SELECT environment.id FROM environments AS environment
      WHERE environment.id = ANY (${[...ids]}::uuid[]) AND ${inOrganizationOf(environmentId)} AND EXISTS (
        SELECT FROM api_keys WHERE environment_id = environment.id AND access = 'admin' AND revoked_at IS NULL
      )`
    const found = new Set(rows.map(({ id }) => id))
    return ids.map((id) => found.has(id))
  },
}
