// Contexts: rows, pages, and the creation of missing ones.
import { exactly, searchFor } from './reading/like-filter.ts'
import type { Tenant } from './reading/loader.ts'
import { environmentPages, equalTo } from './reading/page.ts'
import { type Context, Prisma } from './prisma/client.ts'
import { rowBy } from './reading/row.ts'
import { insertRows, type Table } from './statement/table.ts'
import { sql } from './statement/statement.ts'

const contextTable: Table<Context> = {
  name: 'contexts',
  fields: Object.values(Prisma.ContextScalarFieldEnum),
}

export const contextsByKey = rowBy(contextTable, { field: 'key' })
export const contextsById = rowBy(contextTable, { field: 'id', type: 'uuid' })

/** Selects contexts. Undefined fields match everything. */
interface ContextFilter {
  readonly type?: string
  readonly identifier?: string
  /** A part of the key. If it is short, the beginning of the identifier. */
  readonly search?: string
}

const ofType = equalTo<Pick<ContextFilter, 'type'>>({ type: 'text' })

export const contextPages = environmentPages<Context, ContextFilter>({
  name: 'contexts',
  table: contextTable,
  texts: { identifier: 'child.key' },
  where: ({ search, identifier, ...exact }) =>
    Prisma.sql`${ofType(exact)} ${exactly({ identifier })} ${searchFor(search, { substring: ['key'], prefix: ['identifier'] })}`,
  planForValues: ({ search }) => search !== undefined,
})

/** The interval in which a further use of a context is not recorded. */
const RECORDED_FOR = Prisma.sql`interval '24 hours'`

/**
 * The statement that creates the contexts that are missing, and records the use of the others, if `condition` holds. Of
 * contexts with the same key, the first counts. A context whose last use was recorded recently is not written or
 * locked.
 */
export function contextInsert(
  { environmentId }: Tenant,
  contexts: readonly Context[],
  condition = Prisma.sql`true`,
): Prisma.Sql {
  const byKey = new Map(contexts.toReversed().map((context) => [context.key, context]))
  // Ordering by key prevents deadlocks between writes with the same contexts.
  return Prisma.sql`
    ${insertRows(contextTable, [...byKey.values()], {
      environmentId: Prisma.sql`${environmentId}::uuid`,
      lastUsedAt: Prisma.sql`given.created_at`,
    })}
    WHERE ${condition} AND NOT EXISTS (
      SELECT FROM contexts AS known
      WHERE known.environment_id = ${environmentId}::uuid AND known.key = given.key
        AND (known.last_used_at IS NULL OR known.last_used_at > given.created_at - ${RECORDED_FOR})
    )
    ORDER BY given.key
    ON CONFLICT (environment_id, key) DO UPDATE SET last_used_at =
      CASE WHEN stored.last_used_at < excluded.last_used_at THEN excluded.last_used_at ELSE stored.last_used_at END`
}

/** Inserts the contexts that are missing, as `contextInsert` does. */
export async function insertContexts(tenant: Tenant, contexts: readonly Context[]): Promise<void> {
  if (contexts.length > 0) await sql(tenant.db, 'context.insertContexts')`${contextInsert(tenant, contexts)}`
}
