// The tables of the queue: brought up to date at start, and kept in order.
import type pg from 'pg'
import PgBoss from 'pg-boss'

/**
 * Times that a job is taken again when it fails or its process dies. What a provider refuses is counted elsewhere: these
 * are faults, and a database that stays away for an hour must not use them up.
 */
const RETRIES = 12
/** Before the first of them, in seconds; each further one waits about twice as long. */
const RETRY_DELAY = 1
/** A job that takes longer was left behind by a process that died. In seconds: more than any provider may take. */
const EXPIRY = 120

const queues = ['fan-out', 'advance', 'deliver'] as const
export type Queue = (typeof queues)[number]

/** pg-boss without what it would do by itself: we say when. */
export const passive = { schedule: false, supervise: false } as const

const over = (connection: Pick<pg.ClientBase, 'query'>) =>
  new PgBoss({ ...passive, db: { executeSql: (text, values) => connection.query(text, values) } })

/** Any number: what matters is that no other lock of ours has it. */
const UPDATING = 4_110_002

/** Brings the tables of the queue up to date. Of processes that start at the same time, one after the other. */
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
        // A queue that nobody worked on for a year may be forgotten.
        retentionDays: 365,
      })
    }
    await starting.stop({ graceful: false })
    await client.query('SELECT pg_advisory_unlock($1)', [UPDATING])
    client.release()
  } catch (error) {
    // With its connection goes its lock.
    client.release(true)
    throw error
  }
}

/** Gives back what processes that died had taken, and removes what failed for good long ago. To be called often. */
export async function maintainQueue(pool: pg.Pool): Promise<void> {
  await over(pool).maintain()
}

/** Gives back everything that is taken. For a database of one process, when that starts: whoever took it is dead. */
export async function giveBackJobs(pool: pg.Pool): Promise<void> {
  await pool.query(`UPDATE pgboss.job SET state = 'retry', start_after = now() WHERE state = 'active'`)
}
