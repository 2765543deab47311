// Contexts: rows, pages, and the creation of missing ones.
import { exactly, searchFor } from './like-filter.ts'
import type { Tenant } from './loader.ts'
import { environmentPages, equalTo } from './page.ts'
import { type Context, Prisma } from './prisma/client.ts'
import { rowBy, type Table } from './row.ts'

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

/** The statement that creates the contexts that are missing, if `condition` holds. Of equal keys, the first counts. */
export function contextInsert(
  { environmentId }: Tenant,
  contexts: readonly Context[],
  condition = Prisma.sql`true`,
): Prisma.Sql {
  const byKey = new Map(contexts.toReversed().map((context) => [context.key, context]))
  // The order of the keys prevents deadlocks between writes with the same contexts.
  return Prisma.sql`
    INSERT INTO contexts (environment_id, id, type, identifier, key, data, created_at, updated_at)
    SELECT ${environmentId}::uuid, id, type, identifier, key, data, "createdAt", "updatedAt"
    FROM jsonb_to_recordset(${JSON.stringify([...byKey.values()])}::jsonb)
      AS context(id uuid, type text, identifier text, key text, data jsonb, "createdAt" timestamptz,
                 "updatedAt" timestamptz)
    WHERE ${condition} AND NOT EXISTS (
      SELECT FROM contexts AS stored WHERE stored.environment_id = ${environmentId}::uuid AND stored.key = context.key
    )
    ORDER BY key
    ON CONFLICT (environment_id, key) DO NOTHING`
}
