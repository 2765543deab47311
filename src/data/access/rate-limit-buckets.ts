// Token buckets shared by several processes.
import type { Connection } from '../connection/database.ts'
import { Prisma, type RateLimitBucket } from '../prisma/client.ts'
import { sql } from '../statement/statement.ts'
import { insertRows, type Table } from '../statement/table.ts'

const bucketTable: Table<RateLimitBucket> = {
  name: 'rate_limit_buckets',
  fields: Object.values(Prisma.RateLimitBucketScalarFieldEnum),
}

/** A process's usage of one bucket since its last report. */
export interface Spending {
  readonly environmentId: string
  readonly category: string
  readonly tokens: number
}

/** The tokens missing from a bucket after all reports so far. */
export interface SharedBucket {
  readonly environmentId: string
  readonly category: string
  readonly missing: number
}

/**
 * Refills the buckets up to `now` and subtracts the reported usage, in one statement.
 *
 * @param spendings at most one per bucket. Buckets of deleted environments are ignored.
 * @param rates tokens per second by category.
 */
export function spendTokens(
  db: Connection,
  spendings: readonly Spending[],
  rates: Readonly<Record<string, number>>,
  now: Date,
): Promise<SharedBucket[]> {
  // The order prevents deadlocks. updated_at never goes back: otherwise, processes with different clocks would refill
  // the same interval repeatedly.
  const rows = spendings.map(({ tokens, ...bucket }) => ({ ...bucket, missing: tokens }))
  return sql<SharedBucket>(db, 'rate-limit-buckets.spendTokens')`
    ${insertRows(bucketTable, rows, { updatedAt: Prisma.sql`${now}::timestamptz` })}
    JOIN environments AS environment ON environment.id = given.environment_id
    ORDER BY given.environment_id, given.category
    ON CONFLICT (environment_id, category) DO UPDATE SET
      missing = excluded.missing + greatest(0, stored.missing - (${JSON.stringify(rates)}::jsonb->>stored.category)::float8
        * greatest(0, extract(epoch FROM excluded.updated_at - stored.updated_at)::float8)),
      updated_at = greatest(stored.updated_at, excluded.updated_at)
    RETURNING environment_id AS "environmentId", category, missing`
}
