// The queue's tables: their migration and maintenance.
import type pg from 'pg'
import PgBoss from 'pg-boss'

/**
 * Retries of a job that failed or whose process died. Only internal errors count: delivery attempts that a provider
 * rejects are counted elsewhere. An hour without a database must not use them up.
 */
const RETRIES = 12
/** Seconds before the first retry. Each further one waits about twice as long. */
const RETRY_DELAY = 1
/** Seconds after which an active job counts as abandoned. Longer than any provider may take. */
const EXPIRY = 120

const queues = ['fan-out', 'advance', 'deliver'] as const
export type Queue = (typeof queues)[number]

/** Turns off pg-boss's own background work. */
export const passive = { schedule: false, supervise: false } as const

const over = (connection: Pick<pg.ClientBase, 'query'>) =>
  new PgBoss({ ...passive, db: { executeSql: (text, values) => connection.query(text, values) } })

/** An arbitrary number that no other advisory lock uses. */
const UPDATING = 4_110_002

/** Migrates the queue's tables. Starting processes do so one after the other. */
export async function migrateQueue(pool: pg.Pool): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [UPDATING])
    const starting = over(client)
    await starting.start()
    for (const name of queues) {
      await starting.createQueue(name, {
        name,
        retryLimit: RETRIES,
        retryDelay: RETRY_DELAY,
        retryBackoff: true,
        expireInSeconds: EXPIRY,
        // Unfinished jobs are dropped after a year.
        retentionDays: 365,
      })
    }
    await starting.stop({ graceful: false })
    await client.query('SELECT pg_advisory_unlock($1)', [UPDATING])
    client.release()
  } catch (error) {
    // Closing the connection releases the lock.
    client.release(true)
    throw error
  }
}

/** Returns the jobs of dead processes to the queue and removes old failed ones. To be called often. */
export async function maintainQueue(pool: pg.Pool): Promise<void> {
  await over(pool).maintain()
}

/** Returns all active jobs to the queue. Only for a single process at its start: their process is dead. */
export async function giveBackJobs(pool: pg.Pool): Promise<void> {
  await pool.query(`UPDATE pgboss.job SET state = 'retry', start_after = now() WHERE state = 'active'`)
}
