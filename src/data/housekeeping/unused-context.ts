// Contexts that were created on first use: finds those not used recently, finds what refers to them, and deletes them.
import type { Tenant } from '../reading/loader.ts'
import { Prisma } from '../prisma/client.ts'
import { limitTo, sql, sqlCount } from '../statement/statement.ts'

interface PageOfContexts {
  /** Contexts used at this time or later are left out. */
  readonly before: Date
  /** The key after which the page begins. Undefined for the first page. */
  readonly after: string | undefined
  /** The number of contexts in a full page, used or not. */
  readonly take: number
}

/**
 * Reads a page of the contexts of an environment in the order of their keys.
 *
 * @returns the keys of those that were created on first use and last used before a time, and the key at which the
 *   next page begins, which is undefined after the last page.
 */
export async function staleContexts(
  { db, environmentId }: Tenant,
  { before, after, take }: PageOfContexts,
): Promise<{ readonly keys: readonly string[]; readonly next: string | undefined }> {
  const following = after === undefined ? Prisma.empty : Prisma.sql`AND key > ${after}`
  const rows = await sql<{ key: string; isStale: boolean }>(db, 'unused-context.staleContexts')`
    SELECT key, coalesce(last_used_at < ${before}::timestamptz, false) AS "isStale" FROM contexts
    WHERE environment_id = ${environmentId}::uuid ${following}
    ORDER BY key ${limitTo(take)}`
  return {
    keys: rows.flatMap(({ key, isStale }) => (isStale ? [key] : [])),
    next: rows.length === take ? rows.at(-1)?.key : undefined,
  }
}

/**
 * The tables that refer to contexts. Events are searched before notifications, because an event that was deleted before
 * that search has ended and creates no further notifications. Jobs in the queue belong to events.
 */
const referringTables = [
  'events',
  'notifications',
  'topic_subscriptions',
  'channel_endpoints',
  'subscriber_preferences',
  'channel_connections',
] as const

/** Rows in one statement. */
const ROWS = 5_000

interface ReferencePage {
  /** The given keys that the rows refer to. */
  readonly keys: string[]
  readonly count: number
  /** The id of the last row. */
  readonly last: string | null
}

/** Searches the next rows of a table, in the order of their ids. */
async function referencesIn(
  { db, environmentId }: Tenant,
  table: (typeof referringTables)[number],
  keys: readonly string[],
  after: string | undefined,
): Promise<ReferencePage | undefined> {
  const following = after === undefined ? Prisma.empty : Prisma.sql`AND id > ${after}::uuid`
  const [page] = await sql<ReferencePage>(db, 'unused-context.referencesIn')`
    WITH page AS MATERIALIZED (
      SELECT id, context_keys FROM ${Prisma.raw(table)}
      WHERE environment_id = ${environmentId}::uuid ${following}
      ORDER BY id ${limitTo(ROWS)}
    )
    SELECT ARRAY(
             SELECT DISTINCT named.key FROM page CROSS JOIN LATERAL unnest(context_keys) AS named(key)
             WHERE named.key = ANY (${[...keys]}::text[])
           ) AS keys,
           (SELECT count(*)::int FROM page) AS count,
           (SELECT id FROM page ORDER BY id DESC LIMIT 1) AS last`
  return page
}

/**
 * Returns the contexts among these that nothing refers to. Reads all rows that may refer to a context, in portions,
 * until each context was found.
 */
export async function withoutReferences(tenant: Tenant, keys: readonly string[]): Promise<readonly string[]> {
  const missing = new Set(keys)
  for (const table of referringTables) {
    let after: string | undefined
    while (missing.size > 0) {
      const page = await referencesIn(tenant, table, [...missing], after)
      for (const key of page?.keys ?? []) missing.delete(key)
      if (page === undefined || page.last === null || page.count < ROWS) break
      after = page.last
    }
  }
  return [...missing]
}

/**
 * Deletes the contexts among these that were last used before a time. A transaction that uses a context after that time
 * writes its row before the reference, so a context in use is locked or has changed, and stays.
 *
 * @returns the number of deleted contexts.
 */
export function deleteStaleContexts(
  { db, environmentId }: Tenant,
  keys: readonly string[],
  before: Date,
): Promise<number> {
  return sqlCount(db, 'unused-context.deleteStaleContexts')`
    DELETE FROM contexts WHERE environment_id = ${environmentId}::uuid AND ctid = ANY (ARRAY(
      SELECT ctid FROM contexts
      WHERE environment_id = ${environmentId}::uuid AND key = ANY (${[...keys]}::text[])
        AND last_used_at < ${before}::timestamptz
      ORDER BY key FOR UPDATE SKIP LOCKED))`
}
