// Planner statistics of tables that grow fast, and the space of dead rows in the embedded database, which has no autovacuum.
import type pg from 'pg'
import type { Logger } from 'pino'

/** Milliseconds until the first check, so that the start does not wait for it. */
const FIRST = 1_000
/** The most milliseconds between checks. A check takes about one millisecond and usually finds nothing to do. */
const LONGEST = 30_000

/**
 * What refreshes a table. Autovacuum of a server comes within a minute, which is late for a new database: the plans of its
 * first statements, and of its foreign keys, were made for empty tables. SKIP_LOCKED leaves a table to the process that
 * already analyzes it.
 */
const commands = { embedded: 'VACUUM (ANALYZE)', server: 'ANALYZE (SKIP_LOCKED)' } as const

/**
 * Tables that have more than doubled since their last statistics, or have rows and no statistics. Only the owner of a table
 * may refresh them; for others, the server's autovacuum does.
 */
const outgrown = `SELECT format('%I.%I', nspname, relname) AS name
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = 'public' AND relkind = 'r' AND pg_has_role(relowner, 'USAGE')
    AND pg_relation_size(pg_class.oid) > 2 * relpages * current_setting('block_size')::bigint`

/** @returns the number of tables. */
async function refreshStatistics(pool: pg.Pool, command: string): Promise<number> {
  const { rows } = await pool.query<{ name: string }>(outgrown)
  // One at a time: the embedded database does nothing else meanwhile.
  for (const { name } of rows) await pool.query(`${command} ${name}`)
  return rows.length
}

/** Refreshes statistics: often while tables grow, seldom otherwise. @returns stops it. */
export function startMaintenance(pool: pg.Pool, kind: keyof typeof commands, logger: Pick<Logger, 'warn'>): () => void {
  let delay = FIRST
  let timer: NodeJS.Timeout | undefined
  const checkLater = () => {
    timer = setTimeout(() => void check(), delay).unref()
  }
  async function check(): Promise<void> {
    try {
      const count = await refreshStatistics(pool, commands[kind])
      delay = count > 0 ? FIRST : Math.min(2 * delay, LONGEST)
    } catch (error) {
      delay = LONGEST
      logger.warn({ err: error }, 'database maintenance failed')
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
