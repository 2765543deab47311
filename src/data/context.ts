// Contexts: rows, pages, and the creation of missing ones.
import { exactly, searchFor } from './reading/like-filter.ts'
import type { Tenant } from './reading/loader.ts'
import { environmentPages, equalTo } from './reading/page.ts'
import { type Context, Prisma } from './prisma/client.ts'
import { rowBy, type Table } from './reading/row.ts'

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
  /** A part of the key; if it is short, the beginning of the identifier. */
  readonly search?: string
}

const ofType = equalTo<Pick<ContextFilter, 'type'>>({ type: 'text' })

export const contextPages = environmentPages<Context, ContextFilter>({
  name: 'contexts',
  table: contextTable,
  where: ({ search, identifier, ...exact }) =>
    Prisma.sql`${ofType(exact)} ${exactly({ identifier })} ${searchFor(search, { substring: ['key'], prefix: ['identifier'] })}`,
  planForValues: ({ search }) => search !== undefined,
})

/** How long a recorded use of a context counts as its last one. */
const RECORDED_FOR = Prisma.sql`interval '24 hours'`

/**
 * The statement that creates the contexts that are missing, and records the use of the others, if `condition` holds. Of
 * equal keys, the first counts. A context whose last use was recorded recently is not written or locked.
 */
export function contextInsert(
  { environmentId }: Tenant,
  contexts: readonly Context[],
  condition = Prisma.sql`true`,
): Prisma.Sql {
  const byKey = new Map(contexts.toReversed().map((context) => [context.key, context]))
  // The order of the keys prevents deadlocks between writes with the same contexts.
  return Prisma.sql`
    INSERT INTO contexts AS stored
      (environment_id, id, type, identifier, key, data, last_used_at, created_at, updated_at)
    SELECT ${environmentId}::uuid, id, type, identifier, key, data, "createdAt", "createdAt", "updatedAt"
    FROM jsonb_to_recordset(${JSON.stringify([...byKey.values()])}::jsonb)
      AS context(id uuid, type text, identifier text, key text, data jsonb, "createdAt" timestamptz,
                 "updatedAt" timestamptz)
    WHERE ${condition} AND NOT EXISTS (
      SELECT FROM contexts AS known
      WHERE known.environment_id = ${environmentId}::uuid AND known.key = context.key
        AND (known.last_used_at IS NULL OR known.last_used_at > "createdAt" - ${RECORDED_FOR})
    )
    ORDER BY key
    ON CONFLICT (environment_id, key) DO UPDATE SET last_used_at = excluded.last_used_at
      WHERE stored.last_used_at <= excluded.last_used_at - ${RECORDED_FOR}`
}
