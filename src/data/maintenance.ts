// Maintenance of the embedded database, which has no autovacuum: planner statistics and reuse of dead rows' space.
import type pg from 'pg'
import type { Logger } from 'pino'

/** Milliseconds between checks. A check takes about one millisecond and usually finds nothing to do. */
const INTERVAL = 60_000

/** Tables that have more than doubled since their last statistics, or have rows and no statistics. */
const outgrown = `SELECT format('%I.%I', nspname, relname) AS name
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = 'public' AND relkind = 'r'
    AND pg_relation_size(pg_class.oid) > 2 * relpages * current_setting('block_size')::bigint`

async function refreshStatistics(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(outgrown)
  // One at a time: the whole process waits for each.
  for (const { name } of rows) await pool.query(`VACUUM (ANALYZE) ${name}`)
}

/** Refreshes statistics now and periodically. @returns stops it. */
export async function startMaintenance(pool: pg.Pool, logger: Pick<Logger, 'warn'>): Promise<() => void> {
  await refreshStatistics(pool)
  const timer = setInterval(() => {
    refreshStatistics(pool).catch((error: unknown) => logger.warn({ err: error }, 'database maintenance failed'))
  }, INTERVAL)
  timer.unref()
  return () => clearInterval(timer)
}
