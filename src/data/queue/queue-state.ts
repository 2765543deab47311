// The length of the queue and the age of its oldest jobs, for all environments (metrics) or for one.
import type { Connection } from '../connection/database.ts'
import { isNotDeleted } from '../access/environment-deletion.ts'
import { type JobKind, jobKinds } from './job.ts'
import { withVisited } from './job-taking.ts'
import { ofKind } from './job-turns.ts'
import type { Tenant } from '../reading/loader.ts'
import { Prisma } from '../prisma/client.ts'
import { buckets } from './send-rate.ts'
import { limitTo, plannedEachTime, sql } from '../statement/statement.ts'

/** The maximum number of jobs to count, for each kind and state. */
export const MAX_COUNTED = 10_000

/** The jobs of one kind. */
export interface QueueState {
  readonly kind: JobKind
  /** Jobs that can be taken, among the 10,000 of each environment that became available first. At most 10,000. */
  readonly due: number
  /** Jobs that can be taken later: waits, further attempts, and those in progress. At most 10,000. */
  readonly scheduled: number
  /** Jobs that wait for the end of a pause. At most 10,000. */
  readonly held: number
  /** Messages that wait for the rate limit of their integration, among the 10,000 jobs that became available first. */
  readonly limited: number
  /** Since when the oldest of the due jobs can be taken. Null if none is due. */
  readonly oldestSince: Date | null
}

/**
 * Reads the state of the queue for all environments except deleted ones, in one statement. It looks up the environments
 * one by one in the index, and counts in the index of each kind, so the cost depends on the number of environments with
 * jobs and on the jobs up to the limit.
 */
export const readQueueState = (db: Connection, now: Date): Promise<readonly QueueState[]> =>
  readStateIn(
    db,
    Prisma.sql`${withVisited}, included AS MATERIALIZED (SELECT id FROM visited WHERE ${isNotDeleted(Prisma.sql`visited.id`)})`,
    now,
  )

/** Reads the state of the queue for the tenant's environment, in one statement. */
export const readOwnQueueState = ({ db, environmentId }: Tenant, now: Date): Promise<readonly QueueState[]> =>
  readStateIn(db, Prisma.sql`WITH included AS MATERIALIZED (SELECT ${environmentId}::uuid AS id)`, now)

/** @param visiting the beginning of the statement, which defines `included`, the ids of the environments. */
async function readStateIn(db: Connection, visiting: Prisma.Sql, now: Date): Promise<readonly QueueState[]> {
  const some = (kind: JobKind, condition: Prisma.Sql) => Prisma.sql`
    SELECT job.* FROM included CROSS JOIN LATERAL (
      SELECT environment_id, integration_id, available_at FROM jobs
      WHERE ${ofKind[kind]} AND environment_id = included.id AND ${condition}
      ORDER BY available_at, id ${limitTo(MAX_COUNTED)}
    ) AS job ${limitTo(MAX_COUNTED)}`
  const isDue = Prisma.sql`available_at <= ${now}::timestamptz`
  const isLater = Prisma.sql`available_at > ${now}::timestamptz AND available_at < 'infinity'`
  const isHeld = Prisma.sql`available_at = 'infinity'`
  const count = (kind: JobKind, condition: Prisma.Sql) => Prisma.sql`
    (SELECT count(*)::int FROM (${some(kind, condition)}) AS counted)`
  const readyAt = Prisma.sql`(
    SELECT ready_at FROM rated WHERE environment_id = waiting.environment_id AND id = waiting.integration_id)`
  // Only the first jobs of all environments are counted, so that the oldest job is looked up in each.
  const oldest = (kind: JobKind) => Prisma.sql`(
    SELECT min(greatest(first.available_at, first.ready_at)) FROM included CROSS JOIN LATERAL (
      SELECT available_at, ${readyAt} AS ready_at FROM (
        SELECT environment_id, integration_id, available_at FROM jobs
        WHERE ${ofKind[kind]} AND environment_id = included.id AND ${isDue}
        ORDER BY available_at, id ${limitTo(MAX_COUNTED)}
      ) AS waiting
      WHERE coalesce(${readyAt} <= ${now}::timestamptz, true) ORDER BY available_at LIMIT 1
    ) AS first)`
  const isLimited = Prisma.sql`coalesce(rated.ready_at > ${now}::timestamptz, false)`
  const states = jobKinds.map(
    (kind) => Prisma.sql`
      SELECT ${kind}::text AS kind, count(*) FILTER (WHERE NOT ${isLimited})::int AS due,
             count(*) FILTER (WHERE ${isLimited})::int AS limited, ${count(kind, isLater)} AS scheduled,
             ${count(kind, isHeld)} AS held,
             least(min(greatest(job.available_at, rated.ready_at)) FILTER (WHERE NOT ${isLimited}), ${oldest(kind)})
               AS "oldestSince"
      FROM (${some(kind, isDue)}) AS job
      LEFT JOIN rated ON rated.environment_id = job.environment_id AND rated.id = job.integration_id`,
  )
  return sql<QueueState>(db, 'queue-state.readStateIn')`
    ${plannedEachTime}
    ${visiting}, rated AS MATERIALIZED (
      ${buckets(Prisma.sql`integration.environment_id IN (SELECT id FROM included)`)}
    )
    ${Prisma.join(states, ' UNION ALL ')}`
}
