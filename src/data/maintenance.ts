// What PostgreSQL's autovacuum does and the embedded database has not: statistics for the planner, and room of dead rows
// that is used again.
import type pg from 'pg'

/** Between two looks, in milliseconds. A look costs a millisecond, and finds nothing to do most of the time. */
const INTERVAL = 60_000

/** Tables that are more than twice as large as when statistics were last taken, or have rows and no statistics. */
const outgrown = `SELECT format('%I.%I', nspname, relname) AS name
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname IN ('public', 'pgboss') AND relkind = 'r'
    AND pg_relation_size(pg_class.oid) > 2 * relpages * current_setting('block_size')::bigint`

/** Takes the statistics of tables that have outgrown theirs. */
export async function refreshStatistics(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(outgrown)
  // One after the other: each stops the rest of the process for as long as it takes.
  for (const { name } of rows) await pool.query(`VACUUM (ANALYZE) ${name}`)
}

/** Refreshes the statistics now and from time to time. @returns ends it. */
export async function startMaintenance(pool: pg.Pool): Promise<() => void> {
  await refreshStatistics(pool)
  const timer = setInterval(() => {
    // What failed now is found again the next time.
    refreshStatistics(pool).catch(() => {})
  }, INTERVAL)
  timer.unref()
  return () => clearInterval(timer)
}
