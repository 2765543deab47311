// Send rates: integrations with a rate limit share one token bucket among all processes. A message costs one token.
import { spendTokens } from '../access/rate-limit-buckets.ts'
import type { Connection } from '../connection/database.ts'
import { groupBy } from '../../lib/group-by.ts'
import { Prisma } from '../prisma/client.ts'
import { type Batch, rowBatch, type Tenant } from '../reading/loader.ts'
import { sql, sqlCount } from '../statement/statement.ts'
import { announcementsOf, integrationKey, type Job, JOB_CHANNEL, takenRows } from './job.ts'

/** The bucket of an integration. */
export interface SendRate {
  /** Tokens that a full bucket has. */
  readonly capacity: number
  /** Tokens per second. */
  readonly rate: number
  /** Tokens to wait for before messages are taken, so that a high rate does not lead to a statement for each message. */
  readonly lot: number
}

/** Tokens by which sums of fractions may be off. */
const ROUNDING = 1e-6

const categoryOf = (integrationId: string) => `integration ${integrationId}`

/**
 * Selects the bucket of each `integration` that has a rate limit and fits the condition: its size as in `SendRate`, the
 * tokens that were missing at its last draw, and the time at which it has a lot of them again.
 *
 * Capacity and refill together make exactly the limit: in no interval are there more tokens than messages allowed. The
 * capacity is small for limits by the second, because messages are sent some milliseconds after they got their tokens,
 * and otherwise a tenth, so that a quiet integration does not delay a few messages for minutes.
 */
export const buckets = (condition: Prisma.Sql): Prisma.Sql => Prisma.sql`
  SELECT integration.environment_id, integration.id, size.*, bucket.missing, bucket.updated_at,
         bucket.updated_at + (bucket.missing - size.capacity + size.lot) / size.rate * interval '1 second' AS ready_at
  FROM integrations AS integration
  CROSS JOIN LATERAL (
    SELECT CASE integration.rate_unit WHEN 'second' THEN 1 WHEN 'minute' THEN 60 WHEN 'hour' THEN 3600 ELSE 86400 END
             AS seconds,
           greatest(1, integration.rate_messages / CASE integration.rate_unit WHEN 'second' THEN 25 ELSE 10 END)
             AS capacity
  ) AS given
  CROSS JOIN LATERAL (
    SELECT given.capacity, (integration.rate_messages - given.capacity + 1)::float8 / given.seconds AS rate
  ) AS filled
  CROSS JOIN LATERAL (
    SELECT filled.*, greatest(1, least(filled.capacity, floor(filled.rate / 50)))::int AS lot
  ) AS size
  LEFT JOIN rate_limit_buckets AS bucket
    ON bucket.environment_id = integration.environment_id AND bucket.category = 'integration ' || integration.id
  WHERE integration.rate_messages IS NOT NULL AND ${condition}`

/**
 * Selects the bucket of one integration as `SendRate`, and how many messages its tokens allow now. No row without a
 * rate limit.
 */
export const sendRateOf = (environmentId: Prisma.Sql, integrationId: Prisma.Sql, now: Date): Prisma.Sql => Prisma.sql`
  SELECT json_build_object('capacity', capacity, 'rate', rate, 'lot', lot) AS limited,
         CASE
           WHEN updated_at IS NULL THEN capacity
           WHEN ready_at > ${now}::timestamptz THEN 0
           ELSE floor(capacity - greatest(0, missing
             - rate * greatest(0, extract(epoch FROM ${now}::timestamptz - updated_at)::float8)))::int
         END AS tokens
  FROM (
    ${buckets(Prisma.sql`integration.environment_id = ${environmentId} AND integration.id = ${integrationId}`)}
  ) AS bucket`

/** The time at which an integration with a rate limit has tokens again. */
interface Refill {
  readonly id: string
  readonly readyAt: Date
}

/** When integrations of the environment have tokens again, by row id. Null for those whose bucket was never drawn. */
export const refills: Batch<string, Refill | null> = rowBatch<Refill>(
  ({ db, environmentId }, ids) =>
    sql<Refill>(db, 'send-rate.refills')`
      SELECT id, ready_at AS "readyAt" FROM (
        ${buckets(
          Prisma.sql`integration.environment_id = ${environmentId}::uuid AND integration.id = ANY (${ids}::uuid[])`,
        )}
      ) AS bucket
      WHERE ready_at IS NOT NULL`,
  ({ id }) => id,
)

/** Fills the bucket of an integration, and wakes idle workers on commit, because messages may wait for its tokens. */
export async function forgetDraws({ db, environmentId }: Tenant, integrationId: string): Promise<void> {
  const messages = announcementsOf(environmentId, [{ queue: 'deliver' }])
  await sqlCount(db, 'send-rate.forgetDraws')`
    WITH forgotten AS (
      DELETE FROM rate_limit_buckets
      WHERE environment_id = ${environmentId}::uuid AND category = ${categoryOf(integrationId)}
    )
    SELECT pg_notify(${JOB_CHANNEL}, message) FROM unnest(${messages}::text[]) AS message`
}

/** A job that was just taken. */
export interface RatedJob extends Pick<Job, 'environmentId' | 'id' | 'attemptCount' | 'integrationId'> {
  /** The bucket of its integration. Null without a rate limit. */
  readonly limited: SendRate | null
  /** When it became available, before it was taken. */
  readonly since: Date
}

/** A taken job that becomes available again at `since`. */
export type ReturnedJob = Pick<RatedJob, 'environmentId' | 'id' | 'attemptCount' | 'since'>

/** Returns jobs to the queue as if they had not been taken, except those that another process has taken since. */
export const putBack = (db: Connection, jobs: readonly ReturnedJob[]): Promise<unknown> =>
  sqlCount(db, 'send-rate.putBack')`
    UPDATE jobs SET attempt_count = jobs.attempt_count - 1,
                    available_at = CASE WHEN jobs.held_by IS NULL THEN taken.available_at ELSE 'infinity' END
    FROM ${takenRows(jobs.map(({ environmentId, id, attemptCount, since }) => ({ environmentId, id, attemptCount, availableAt: since })))} AS taken
    WHERE (jobs.environment_id, jobs.id, jobs.attempt_count) = (taken.environment_id, taken.id, taken.attempt_count)`

export interface Allowed<Taken> {
  /** The jobs without a rate limit, and those that got a token. */
  readonly jobs: readonly Taken[]
  /** The times at which drawn buckets have tokens again. */
  readonly tokensAt: readonly Date[]
}

/**
 * Draws tokens for taken messages, in their order. Those without a token are put back where they were, which does not
 * count as an attempt. That happens only if another process drew tokens since the jobs were taken. Nothing is read or
 * written if no job has a rate limit.
 */
export async function drawTokens<Taken extends RatedJob>(
  db: Connection,
  jobs: readonly Taken[],
  now: Date,
): Promise<Allowed<Taken>> {
  const drawing = [...groupBy(jobs, integrationKey).values()].flatMap((group) => {
    const [first] = group
    if (!first?.limited) return []
    const { environmentId, integrationId, limited } = first
    return [{ environmentId, category: categoryOf(integrationId), limited, group }]
  })
  if (drawing.length === 0) return { jobs, tokensAt: [] }
  const rates = Object.fromEntries(drawing.map(({ category, limited }) => [category, limited.rate]))
  const spendings = drawing.map(({ environmentId, category, group }) => ({
    environmentId,
    category,
    tokens: group.length,
  }))
  const drawn = new Map(
    (await spendTokens(db, spendings, rates, now)).map((bucket) => [bucket.category, bucket.missing]),
  )
  const denied: Taken[] = []
  const unused = []
  const tokensAt: Date[] = []
  for (const { environmentId, category, limited, group } of drawing) {
    const { capacity, rate, lot } = limited
    const missing = drawn.get(category) ?? 0
    const excess = Math.min(group.length, Math.max(0, Math.ceil(missing - capacity - ROUNDING)))
    if (excess > 0) {
      denied.push(...group.slice(group.length - excess))
      unused.push({ environmentId, category, tokens: -excess })
    }
    const wait = (missing - excess - capacity + lot) / rate
    if (wait > 0) tokensAt.push(new Date(now.getTime() + Math.ceil(wait * 1000)))
  }
  if (denied.length === 0) return { jobs, tokensAt }
  await putBack(db, denied)
  // If the process dies before this, their tokens are lost.
  await spendTokens(db, unused, rates, now)
  const without = new Set(denied)
  return { jobs: jobs.filter((job) => !without.has(job)), tokensAt }
}
