// Planner statistics of tables that grow fast, and the space of dead rows in the embedded database, which has no autovacuum.
import type pg from 'pg'
import type { Logger } from 'pino'

/** Milliseconds until the first check, so that the start does not wait for it. */
const FIRST = 1_000
/** The most milliseconds between checks. A check takes about one millisecond and usually finds nothing to do. */
const LONGEST = 30_000

/** Seconds after which a transaction that writes a table may be a load of many rows. The gateway's own end sooner. */
export const LOADING = 1

/**
 * True for a table whose rows have more than doubled and are committed. Statistics of a table with rows that are not
 * committed say that it has none: the transaction that loads it would plan its statements, and the checks of its foreign
 * keys, for an empty table. The server counts the rows of a transaction when it ends.
 */
const committed = `pg_stat_get_live_tuples(pg_class.oid) > 2 * greatest(reltuples, 0)
  AND NOT EXISTS (
    SELECT FROM pg_locks LEFT JOIN pg_stat_activity USING (pid)
    WHERE relation = pg_class.oid AND mode = 'RowExclusiveLock'
      AND coalesce(xact_start, '-infinity') < clock_timestamp() - interval '${LOADING} seconds')`

/**
 * What refreshes a table, and which ones of those that have grown. Autovacuum of a server comes within a minute, which is
 * late for a new database: the plans of its first statements, and of its foreign keys, were made for empty tables.
 * SKIP_LOCKED leaves a table to the process that already analyzes it. The embedded database has one connection, so no
 * other transaction is in progress.
 */
const kinds = {
  embedded: { command: 'VACUUM (ANALYZE)', condition: 'true' },
  server: { command: 'ANALYZE (SKIP_LOCKED)', condition: committed },
} as const
type Kind = keyof typeof kinds

/**
 * Tables that have more than doubled since their last statistics, or have rows and no statistics. Only the owner of a table
 * may refresh them; for others, the server's autovacuum does.
 */
const outgrown = (condition: string) => `SELECT format('%I.%I', nspname, relname) AS name
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = 'public' AND relkind = 'r' AND pg_has_role(relowner, 'USAGE')
    AND pg_relation_size(pg_class.oid) > 2 * relpages * current_setting('block_size')::bigint AND ${condition}`

/** Refreshes the statistics of tables that have grown. @returns the number of tables. */
export async function refreshStatistics(pool: pg.Pool, kind: Kind): Promise<number> {
  const { command, condition } = kinds[kind]
  const { rows } = await pool.query<{ name: string }>(outgrown(condition))
  // One at a time: the embedded database does nothing else meanwhile.
  for (const { name } of rows) await pool.query(`${command} ${name}`)
  return rows.length
}

/** Refreshes statistics: often while tables grow, seldom otherwise. @returns stops it. */
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
      // Stopped meanwhile: its connection is closed.
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
