// The length of the queue and the age of its oldest jobs, for all environments (metrics) or for one.
import type { Connection } from '../connection/database.ts'
import { isNotDeleted } from '../access/environment-deletion.ts'
import { type JobKind, jobKinds } from './job.ts'
import { withVisited } from './job-taking.ts'
import { ofKind } from './job-turns.ts'
import type { Tenant } from '../reading/loader.ts'
import { Prisma } from '../prisma/client.ts'
import { limitTo, plannedEachTime, sql } from '../statement/statement.ts'

/** The maximum number of jobs to count, for each kind and state. */
export const MAX_COUNTED = 10_000

/** The jobs of one kind. */
export interface QueueState {
  readonly kind: JobKind
  /** Jobs that can be taken. At most 10,000. */
  readonly due: number
  /** Jobs that can be taken later: waits, further attempts, and those in progress. At most 10,000. */
  readonly scheduled: number
  /** Jobs that wait for the end of a pause. At most 10,000. */
  readonly held: number
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
  const each = (kind: JobKind, condition: Prisma.Sql, limit: number) => Prisma.sql`
    included CROSS JOIN LATERAL (
      SELECT available_at FROM jobs
      WHERE ${ofKind[kind]} AND environment_id = included.id AND ${condition}
      ORDER BY available_at, id ${limitTo(limit)}
    ) AS job`
  const isDue = Prisma.sql`available_at <= ${now}::timestamptz`
  const isLater = Prisma.sql`available_at > ${now}::timestamptz AND available_at < 'infinity'`
  const isHeld = Prisma.sql`available_at = 'infinity'`
  const count = (kind: JobKind, condition: Prisma.Sql) => Prisma.sql`
    (SELECT count(*)::int FROM (SELECT FROM ${each(kind, condition, MAX_COUNTED)} ${limitTo(MAX_COUNTED)}) AS counted)`
  const states = jobKinds.map(
    (kind) => Prisma.sql`
      SELECT ${kind}::text AS kind, ${count(kind, isDue)} AS due, ${count(kind, isLater)} AS scheduled,
             ${count(kind, isHeld)} AS held,
             (SELECT min(available_at) FROM ${each(kind, isDue, 1)}) AS "oldestSince"`,
  )
  return sql<QueueState>(db, 'queue-state.readStateIn')`
    ${plannedEachTime}
    ${visiting}
    ${Prisma.join(states, ' UNION ALL ')}`
}
