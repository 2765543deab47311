// Message statistics: how many messages reached which outcome when. Database triggers record a change in the
// transaction of the outcome; the changes are added up later.
import type { Connection } from '../connection/database.ts'
import type { Tenant } from '../reading/loader.ts'
import { oneOf } from '../reading/page.ts'
import { Prisma } from '../prisma/client.ts'
import type { Channel, StatisticsDimension, StatisticsInterval } from '../prisma/enums.ts'
import { limitTo, sql, sqlCount } from '../statement/statement.ts'

/** The lengths of the intervals, in milliseconds. In UTC, each begins at a multiple of its length since 1970. */
export const intervalLengths = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
} as const satisfies Record<StatisticsInterval, number>

const intervals = ['minute', 'hour', 'day'] as const satisfies readonly StatisticsInterval[]

/** The origin from which intervals are counted. */
const ORIGIN = Prisma.sql`timestamptz '1970-01-01 00:00:00Z'`

/** The beginning of the interval that contains the time of a change. */
const startOf = (granularity: StatisticsInterval) =>
  Prisma.sql`date_bin(${Prisma.raw(`interval '1 ${granularity}'`)}, at, ${ORIGIN})`

/** The numbers of messages by outcome. */
export interface MessageCounts {
  readonly sent: number
  readonly failed: number
  readonly cancelled: number
  readonly skipped: number
}

/** The name under which a change is counted, by dimension. */
const nameIn = {
  total: Prisma.sql`''`,
  workflow: Prisma.sql`workflow_identifier`,
  integration: Prisma.sql`integration_identifier`,
} as const satisfies Record<StatisticsDimension, Prisma.Sql>

type DimensionsOf = Readonly<Record<StatisticsInterval, readonly StatisticsDimension[]>>

interface StatisticsTable {
  readonly name: Prisma.Sql
  /** The table of the changes that were not added yet. */
  readonly changes: Prisma.Sql
  /** The column that both have before all others, with a comma. */
  readonly owner: Prisma.Sql
  /** The stored dimensions of each interval. Integrations are only counted by minute, for their current health. */
  readonly dimensionsOf: DimensionsOf
}

/**
 * The statistics of the whole environment, and those of the events with exactly one set of contexts. The total of
 * contexts is the sum of the workflows, because there may be as many sets of contexts as there are tenants.
 */
const tables = {
  environment: {
    name: Prisma.sql`message_statistics`,
    changes: Prisma.sql`message_statistics_changes`,
    owner: Prisma.empty,
    dimensionsOf: {
      minute: ['total', 'workflow', 'integration'],
      hour: ['total', 'workflow'],
      day: ['total', 'workflow'],
    },
  },
  contexts: {
    name: Prisma.sql`context_statistics`,
    changes: Prisma.sql`context_statistics_changes`,
    owner: Prisma.sql`contexts,`,
    dimensionsOf: { minute: ['workflow', 'integration'], hour: ['workflow'], day: ['workflow'] },
  },
} as const satisfies Record<string, StatisticsTable>

/** Whose messages are counted. */
export type CountedOf = keyof typeof tables

export interface StatisticsSpan {
  readonly granularity: StatisticsInterval
  /** The beginning of the first interval. */
  readonly from: Date
  /** The end of the last interval. */
  readonly to: Date
}

/** Selects statistics. Undefined fields match everything. */
export interface StatisticsFilter {
  readonly workflowIdentifier?: readonly string[] | undefined
  readonly channel?: readonly Channel[] | undefined
  /** The messages of events with exactly these contexts, at least one, sorted. */
  readonly contextKeys?: readonly string[] | undefined
}

const counts = Prisma.sql`sent, failed, cancelled, skipped, failed_attempts, failed_delivery_id`

interface Rows {
  /** A condition on `name` and `channel`, with a leading AND. */
  readonly condition?: Prisma.Sql
  /** Only of the events with exactly these contexts, at least one, sorted. */
  readonly contextKeys?: readonly string[] | undefined
}

/**
 * The rows of the tenant's environment in a span, as a table with `starts_at`, `name`, `channel` and the counts.
 * Includes changes that were not added yet: each message is in exactly one of the two tables.
 */
export function statisticsIn(
  { environmentId }: Tenant,
  dimension: StatisticsDimension,
  { granularity, from, to }: StatisticsSpan,
  { condition = Prisma.empty, contextKeys }: Rows = {},
): Prisma.Sql {
  const { name, changes } = tables[contextKeys === undefined ? 'environment' : 'contexts']
  const own = contextKeys === undefined ? Prisma.empty : Prisma.sql`AND contexts = ${contextKeys.join(',')}`
  const stored = contextKeys !== undefined && dimension === 'total' ? 'workflow' : dimension
  return Prisma.sql`(
    SELECT starts_at, name, channel, ${counts} FROM ${name}
    WHERE environment_id = ${environmentId}::uuid ${own} AND granularity = ${granularity}::"StatisticsInterval"
      AND dimension = ${stored}::"StatisticsDimension"
      AND starts_at >= ${from}::timestamptz AND starts_at < ${to}::timestamptz ${condition}
    UNION ALL
    SELECT starts_at, name, channel, ${counts} FROM (
      SELECT ${startOf(granularity)} AS starts_at, ${nameIn[dimension]} AS name, channel, ${counts}
      FROM ${changes}
      WHERE environment_id = ${environmentId}::uuid ${own}
        AND at >= ${from}::timestamptz AND at < ${to}::timestamptz
    ) AS change WHERE true ${condition})`
}

/** The counts of one interval and channel. */
export interface IntervalCounts extends MessageCounts {
  readonly start: Date
  readonly channel: Channel
}

/** The counts in a span, in one statement, oldest first. Intervals and channels without messages are left out. */
export function countsIn(
  tenant: Tenant,
  span: StatisticsSpan,
  { workflowIdentifier, channel, contextKeys }: StatisticsFilter,
): Promise<IntervalCounts[]> {
  const dimension = workflowIdentifier === undefined ? 'total' : 'workflow'
  const ofWorkflow =
    workflowIdentifier === undefined ? Prisma.empty : Prisma.sql`AND ${oneOf(Prisma.sql`name`, workflowIdentifier)}`
  const onChannel =
    channel === undefined ? Prisma.empty : Prisma.sql`AND ${oneOf(Prisma.sql`channel`, channel, Prisma.sql`"Channel"`)}`
  const condition = Prisma.sql`${ofWorkflow} ${onChannel}`
  return sql<IntervalCounts>(tenant.db, 'message-statistics.countsIn')`
    SELECT starts_at AS start, channel, sum(sent)::int AS sent, sum(failed)::int AS failed,
           sum(cancelled)::int AS cancelled, sum(skipped)::int AS skipped
    FROM ${statisticsIn(tenant, dimension, span, { condition, contextKeys })} AS counted
    GROUP BY starts_at, channel
    HAVING sum(sent) + sum(failed) + sum(cancelled) + sum(skipped) > 0
    ORDER BY starts_at, channel`
}

/**
 * Adds changes to the statistics, of all environments, and deletes them. Changes of deleted environments are only
 * deleted. Safe in several processes at once.
 *
 * @param limit the maximum number of changes to add. @returns their number.
 */
export async function foldStatistics(db: Connection, limit: number, of: CountedOf = 'environment'): Promise<number> {
  const { name, changes, owner, dimensionsOf }: StatisticsTable = tables[of]
  const key = Prisma.sql`environment_id, ${owner} granularity, dimension, starts_at, name, channel`
  const portions = intervals.flatMap((granularity) =>
    dimensionsOf[granularity].map(
      (dimension) => Prisma.sql`
        SELECT environment_id, ${owner} ${granularity}::"StatisticsInterval" AS granularity,
               ${dimension}::"StatisticsDimension" AS dimension, ${startOf(granularity)} AS starts_at,
               ${nameIn[dimension]} AS name, channel, ${counts}, id
        FROM taken ${dimension === 'integration' ? Prisma.sql`WHERE integration_identifier <> ''` : Prisma.empty}`,
    ),
  )
  const [folded] = await sql<{ count: number }>(db, 'message-statistics.foldStatistics')`
    WITH taken AS (
      DELETE FROM ${changes} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${changes} ${limitTo(limit)} FOR UPDATE SKIP LOCKED))
      RETURNING *
    ), held AS (
      SELECT id FROM environments WHERE id IN (SELECT environment_id FROM taken) ORDER BY id FOR KEY SHARE
    ), added AS (
      INSERT INTO ${name} AS stored (${key}, ${counts})
      SELECT ${key}, sum(sent), sum(failed), sum(cancelled), sum(skipped), sum(failed_attempts),
             (array_agg(failed_delivery_id ORDER BY portion.id DESC) FILTER (WHERE failed_delivery_id IS NOT NULL))[1]
      FROM (${Prisma.join(portions, ' UNION ALL ')}) AS portion JOIN held ON held.id = environment_id
      GROUP BY ${key} ORDER BY ${key}
      ON CONFLICT (${key}) DO UPDATE SET
        sent = stored.sent + excluded.sent,
        failed = stored.failed + excluded.failed,
        cancelled = stored.cancelled + excluded.cancelled,
        skipped = stored.skipped + excluded.skipped,
        failed_attempts = stored.failed_attempts + excluded.failed_attempts,
        failed_delivery_id = coalesce(excluded.failed_delivery_id, stored.failed_delivery_id)
    )
    SELECT count(*)::int AS count FROM taken`
  return folded?.count ?? 0
}

/**
 * True if the environment `given.environment_id` has expired counts, otherwise null. Each interval and dimension is one
 * look into an index.
 */
export const hasExpiredStatistics = (
  of: CountedOf,
  before: Readonly<Record<StatisticsInterval, Prisma.Sql>>,
): Prisma.Sql => {
  const { name, dimensionsOf }: StatisticsTable = tables[of]
  const looks = intervals.flatMap((granularity) =>
    dimensionsOf[granularity].map(
      (dimension) => Prisma.sql`(
        SELECT true FROM ${name} AS row
        WHERE row.environment_id = given.environment_id AND granularity = ${granularity}::"StatisticsInterval"
          AND dimension = ${dimension}::"StatisticsDimension" AND starts_at < ${before[granularity]}
        ORDER BY starts_at LIMIT 1)`,
    ),
  )
  return Prisma.sql`coalesce(${Prisma.join(looks)})`
}

/**
 * Deletes a portion of the statistics of intervals that began before a time, which depends on the granularity. Skips
 * rows that others lock.
 *
 * @returns the number of rows.
 */
export const sweepStatistics = (
  { db, environmentId }: Tenant,
  before: Readonly<Record<StatisticsInterval, Date>>,
  take: number,
  of: CountedOf = 'environment',
): Promise<number> => {
  const { name, dimensionsOf }: StatisticsTable = tables[of]
  const expired = intervals.map(
    (granularity) => Prisma.sql`
      SELECT ctid FROM (
        SELECT ctid FROM ${name}
        WHERE environment_id = ${environmentId}::uuid AND granularity = ${granularity}::"StatisticsInterval"
          AND dimension = ANY (${[...dimensionsOf[granularity]]}::"StatisticsDimension"[])
          AND starts_at < ${before[granularity]}::timestamptz
        ${limitTo(take)} FOR UPDATE SKIP LOCKED
      ) AS held`,
  )
  return sqlCount(db, 'message-statistics.sweepStatistics')`
    DELETE FROM ${name} WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM (${Prisma.join(expired, ' UNION ALL ')}) AS expired ${limitTo(take)}))`
}
