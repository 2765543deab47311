// The token buckets that several processes share.
import type { Connection } from './database.ts'

/** What a process drew from one bucket since it last reported. */
export interface Spending {
  readonly environmentId: string
  readonly category: string
  readonly tokens: number
}

/** What is missing from a bucket after all processes' reports so far. */
export interface SharedBucket {
  readonly environmentId: string
  readonly category: string
  readonly missing: number
}

/**
 * Fills the buckets up to `now` and takes out what was spent, all in one statement.
 *
 * @param spendings each bucket at most once. Those of an environment that is gone are passed over.
 * @param rates tokens per second by category.
 */
export function spendTokens(
  db: Connection,
  spendings: readonly Spending[],
  rates: Readonly<Record<string, number>>,
  now: Date,
): Promise<SharedBucket[]> {
  // In the order of the key, so that two processes wait for each other and never in a circle. Time goes on only
  // forwards: processes whose clocks differ would else fill the same stretch in again and again.
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
