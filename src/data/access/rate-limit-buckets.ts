// Token buckets shared by several processes.
import type { Connection } from '../connection/database.ts'

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
 * Refills the buckets up to `now` and subtracts what was spent, in one statement.
 *
 * @param spendings at most one per bucket. Those of deleted environments are ignored.
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
  return db.$queryRaw<SharedBucket[]>`
    INSERT INTO rate_limit_buckets AS bucket (environment_id, category, missing, updated_at)
    SELECT environment.id, category, tokens, ${now}::timestamptz
    FROM jsonb_to_recordset(${JSON.stringify(spendings)}::jsonb)
      AS row("environmentId" uuid, category text, tokens float8)
    JOIN environments AS environment ON environment.id = "environmentId"
    ORDER BY environment.id, category
    ON CONFLICT (environment_id, category) DO UPDATE SET
      missing = excluded.missing + greatest(0, bucket.missing - (${JSON.stringify(rates)}::jsonb->>bucket.category)::float8
        * greatest(0, extract(epoch FROM excluded.updated_at - bucket.updated_at)::float8)),
      updated_at = greatest(bucket.updated_at, excluded.updated_at)
    RETURNING environment_id AS "environmentId", category, missing`
}
