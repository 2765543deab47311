// The job queue: pg-boss on the same database, so that jobs commit together with the rows they are about.
import PgBoss from 'pg-boss'
import type { Connection } from './database.ts'
import type { Tenant } from './loader.ts'
import { Prisma } from './prisma/client.ts'
import { passive, type Queue } from './queue-tables.ts'

/** The data of each queue's jobs. */
export interface Work extends Record<Queue, object> {
  /** Creates the runs of an event, one page of its recipients at a time. */
  'fan-out': {
    readonly eventId: string
    /** Start of the next page. Omitted for the first. */
    readonly place?: { readonly topic: number; readonly after: string | null }
  }
  /** Executes the steps of runs of one event until they wait or end. */
  advance: {
    readonly runIds: readonly string[]
    /** The position of the step whose wait is over, if any. */
    readonly due?: number
  }
  /** Attempts to send one message. */
  deliver: { readonly deliveryId: string }
}

export type NewJob = {
  [Name in Queue]: {
    readonly queue: Name
    readonly data: Work[Name]
    /** Earliest start. Defaults to now. */
    readonly startAfter?: Date
  }
}[Queue]

/** Runs advanced in one transaction. */
const RUNS_AT_ONCE = 100

/** Jobs for runs of one event, in chunks of `RUNS_AT_ONCE`. */
export function advanceJobs(
  runIds: readonly string[],
  due?: { readonly position: number; readonly at: Date },
): NewJob[] {
  const chunks = Array.from({ length: Math.ceil(runIds.length / RUNS_AT_ONCE) }, (_, index) =>
    runIds.slice(index * RUNS_AT_ONCE, (index + 1) * RUNS_AT_ONCE),
  )
  return chunks.map((chunk) => ({
    queue: 'advance',
    data: { runIds: chunk, ...(due && { due: due.position }) },
    ...(due && { startAfter: due.at }),
  }))
}

export interface Job<Name extends Queue> {
  readonly id: string
  readonly data: Work[Name] & { readonly environmentId: string }
}

/** Sends pg-boss's statements through a Prisma transaction. */
const through = (db: Connection): PgBoss.Db => ({
  executeSql: async (text, values: readonly unknown[]) => ({
    rows: await db.$queryRawUnsafe<unknown[]>(text, ...values),
  }),
})

/** Provides pg-boss's statements. Every call must name its connection. */
const boss = new PgBoss({
  ...passive,
  db: {
    executeSql() {
      throw new Error('a queue statement was sent outside of its transaction')
    },
  },
})

/** The NOTIFY channel for new jobs. */
export const WORK_CHANNEL = 'work'

/** Adds jobs and wakes idle workers when the transaction commits. */
export async function enqueue({ db, environmentId }: Tenant, jobs: readonly NewJob[]): Promise<void> {
  if (jobs.length === 0) return
  await boss.insert(
    jobs.map(({ queue, data, startAfter }) => ({
      name: queue,
      data: { ...data, environmentId },
      ...(startAfter && { startAfter: startAfter.toISOString() }),
    })),
    { db: through(db) },
  )
  await db.$executeRaw`SELECT pg_notify(${WORK_CHANNEL}, '')`
}

/**
 * Takes the next jobs, earliest start first. If the transaction rolls back, they return to the queue at once. Otherwise
 * they return after two minutes unless they are finished.
 *
 * This is pg-boss's own statement except for the order, which matches its index. pg-boss would sort all waiting jobs to
 * find the next one, so each job would cost more the longer the queue is.
 *
 * @param early true to take jobs before their start time. For tests.
 */
export async function takeJobs<Name extends Queue>(
  db: Connection,
  queue: Name,
  { count, early = false }: { readonly count: number; readonly early?: boolean },
): Promise<Job<Name>[]> {
  const due = early ? Prisma.empty : Prisma.sql`AND start_after <= now()`
  return db.$queryRaw<Job<Name>[]>`
    WITH next AS (
      SELECT id FROM pgboss.job WHERE name = ${queue} AND state < 'active' ${due}
      ORDER BY start_after LIMIT ${count} FOR UPDATE SKIP LOCKED
    )
    UPDATE pgboss.job AS job
    SET state = 'active', started_on = now(),
        retry_count = CASE WHEN started_on IS NULL THEN retry_count ELSE retry_count + 1 END
    FROM next WHERE job.name = ${queue} AND job.id = next.id
    RETURNING job.id, job.data`
}

/** Deletes a finished job. Its results are in our own tables. */
export async function finishJob(db: Connection, queue: Queue, id: string): Promise<void> {
  await boss.deleteJob(queue, id, { db: through(db) })
}

/**
 * Schedules a failed job's retry, with growing delays. After its last retry, it is kept as failed.
 *
 * @returns true if it will not be retried.
 */
export async function failJob(db: Connection, queue: Queue, id: string, reason: string): Promise<boolean> {
  await boss.fail(queue, id, { reason }, { db: through(db) })
  const failed = await db.$queryRaw<unknown[]>`
    SELECT 1 FROM pgboss.job WHERE name = ${queue} AND id = ${id}::uuid AND state = 'failed'`
  return failed.length > 0
}
