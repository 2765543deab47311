// Planner statistics of tables that grow fast, and the space of dead rows in the embedded database, which has no autovacuum.
// No task of housekeeping, but a timer of its own: tasks have a fixed period of five seconds or more, and begin when a gateway
// starts. Checks follow the growth of tables, once a second while they grow, and a database is loaded before a gateway
// starts, too.
import type pg from 'pg'
import type { Logger } from 'pino'
import { labelled } from '../statement/label.ts'

/** Milliseconds until the first check, so that it does not delay the start. */
const FIRST = 1_000
/** Maximum milliseconds between checks. A check takes about one millisecond and usually finds nothing to do. */
const LONGEST = 30_000

/**
 * Seconds after which a transaction that writes a table may be a bulk load. The gateway's own transactions end sooner.
 */
export const LOADING = 1

/**
 * True for a table that has more than doubled through committed rows. While rows are not committed, statistics would
 * say that the table is empty, so that the transaction that loads it would plan its statements and foreign key checks
 * for an empty table. The server counts the rows of a transaction when it ends.
 */
const committed = `pg_stat_get_live_tuples(pg_class.oid) > 2 * greatest(reltuples, 0)
  AND NOT EXISTS (
    SELECT FROM pg_locks LEFT JOIN pg_stat_activity USING (pid)
    WHERE relation = pg_class.oid AND mode = 'RowExclusiveLock'
      AND coalesce(xact_start, '-infinity') < clock_timestamp() - interval '${LOADING} seconds')`

/**
 * The commands that refresh a table, and the condition for tables that have grown. A server's autovacuum runs within a
 * minute, which is late for a new database: the plans of its first statements and foreign key checks were made for
 * empty tables. SKIP_LOCKED leaves a table to the process that already analyzes it. The embedded database has one
 * connection, so no other transaction is in progress. It gets two short commands instead of one, because
 * everyone waits for each.
 */
const kinds = {
  embedded: { commands: ['VACUUM', 'ANALYZE'], condition: 'true' },
  server: { commands: ['ANALYZE (SKIP_LOCKED)'], condition: committed },
} as const
type Kind = keyof typeof kinds

/**
 * Tables that have more than doubled since their last statistics, or have rows but no statistics. Only a table's owner
 * may refresh them; the server's autovacuum does so for other tables.
 */
const outgrown = (condition: string) => `SELECT format('%I.%I', nspname, relname) AS name
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = 'public' AND relkind = 'r' AND pg_has_role(relowner, 'USAGE')
    AND pg_relation_size(pg_class.oid) > 2 * relpages * current_setting('block_size')::bigint AND ${condition}`

/** Refreshes the statistics of tables that have grown. @returns the number of tables. */
export async function refreshStatistics(pool: pg.Pool, kind: Kind): Promise<number> {
  const { commands, condition } = kinds[kind]
  const { rows } = await pool.query<{ name: string }>(labelled('maintenance.refreshStatistics', outgrown(condition)))
  // One table at a time, because the embedded database does nothing else meanwhile.
  for (const { name } of rows) {
    for (const command of commands) await pool.query(labelled('maintenance.refreshStatistics', `${command} ${name}`))
  }
  return rows.length
}

/** Refreshes statistics, often while tables grow and rarely otherwise. @returns a function that stops it. */
export function startMaintenance(pool: pg.Pool, kind: Kind, logger: Pick<Logger, 'warn'>): () => void {
  let delay = FIRST
  let timer: NodeJS.Timeout | undefined
  const checkLater = () => {
    timer = setTimeout(() => void check(), delay).unref()
  }
  async function check(): Promise<void> {
    try {
      const count = await refreshStatistics(pool, kind)
      delay = count > 0 ? FIRST : Math.min(2 * delay, LONGEST)
    } catch (error) {
      delay = LONGEST
      // It was stopped meanwhile, and its connection is closed.
      if (timer !== undefined) logger.warn({ err: error }, 'database maintenance failed')
    }
    // Undefined once it is stopped.
    if (timer !== undefined) checkLater()
  }
  checkLater()
  return () => {
    clearTimeout(timer)
    timer = undefined
  }
}
