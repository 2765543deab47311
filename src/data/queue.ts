// The queue of work that goes on after a request: pg-boss on the same database, so that a job is put in by the very
// transaction that needs it done.
import PgBoss from 'pg-boss'
import type { Connection } from './database.ts'
import type { Tenant } from './loader.ts'
import { Prisma } from './prisma/client.ts'
import { passive, type Queue } from './queue-tables.ts'

/** What each queue is told. */
export interface Work extends Record<Queue, object> {
  /** Makes the runs of an event, a page of its recipients at a time. */
  'fan-out': {
    readonly eventId: string
    /** Where the next page starts. Absent at first. */
    readonly place?: { readonly topic: number; readonly after: string | null }
  }
  /** Takes runs of one event as far as they go. */
  advance: {
    readonly runIds: readonly string[]
    /** The position of the step whose wait is over. Absent when none is. */
    readonly due?: number
  }
  /** Tries to send one message. */
  deliver: { readonly deliveryId: string }
}

export type NewJob = {
  [Name in Queue]: {
    readonly queue: Name
    readonly data: Work[Name]
    /** Not before this time. Absent means at once. */
    readonly startAfter?: Date
  }
}[Queue]

/** Runs that are taken further in one transaction. */
const RUNS_AT_ONCE = 100

/** Jobs for runs of one event, in portions that fit a transaction. */
export function advanceJobs(
  runIds: readonly string[],
  due?: { readonly position: number; readonly at: Date },
): NewJob[] {
  const portions = Array.from({ length: Math.ceil(runIds.length / RUNS_AT_ONCE) }, (_, index) =>
    runIds.slice(index * RUNS_AT_ONCE, (index + 1) * RUNS_AT_ONCE),
  )
  return portions.map((portion) => ({
    queue: 'advance',
    data: { runIds: portion, ...(due && { due: due.position }) },
    ...(due && { startAfter: due.at }),
  }))
}

export interface Job<Name extends Queue> {
  readonly id: string
  readonly data: Work[Name] & { readonly environmentId: string }
}

/** Sends statements through a transaction of Prisma's. */
const through = (db: Connection): PgBoss.Db => ({
  executeSql: async (text, values: readonly unknown[]) => ({
    rows: await db.$queryRawUnsafe<unknown[]>(text, ...values),
  }),
})

/** Knows the statements. Every call names the connection that it goes through. */
const boss = new PgBoss({
  ...passive,
  db: {
    executeSql() {
      throw new Error('a statement of the queue was sent outside of its transaction')
    },
  },
})

/** On this channel every process hears that there is work. */
export const WORK_CHANNEL = 'work'

/** Puts jobs in, when the transaction commits, and wakes whoever rests. */
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
 * Takes the next jobs: those first that should have started first. Taken in a transaction, they are back at once when
 * that does not commit; otherwise they are, after two minutes, unless they were finished.
 *
 * The statement is pg-boss's own but for the order, which is that of its index: pg-boss sorts all that waits to find the
 * next one, so that each job would cost the more the more there are.
 *
 * @param early whether those that must not start yet are taken too: for tests, which have no time to wait.
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

/** A job that is done leaves nothing behind: what it did is told by our own tables. */
export async function finishJob(db: Connection, queue: Queue, id: string): Promise<void> {
  await boss.deleteJob(queue, id, { db: through(db) })
}

/**
 * Has a job done again later, the longer later the more often it failed; after its last time it is kept as failed.
 *
 * @returns whether this was its last time.
 */
export async function failJob(db: Connection, queue: Queue, id: string, reason: string): Promise<boolean> {
  await boss.fail(queue, id, { reason }, { db: through(db) })
  const failed = await db.$queryRaw<unknown[]>`
    SELECT 1 FROM pgboss.job WHERE name = ${queue} AND id = ${id}::uuid AND state = 'failed'`
  return failed.length > 0
}
