// Planner statistics of tables that grow.
import { expect, test } from 'vitest'
import { LOADING, refreshStatistics } from '../../src/data/connection/maintenance.ts'
import { onServer } from '../support/on-server.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({ ownDatabase: true })

/** The number of rows according to the statistics. */
async function estimateOf(table: string): Promise<number> {
  const { rows } = await world.database.pool.query<{ reltuples: number }>(
    'SELECT reltuples FROM pg_class WHERE relname = $1',
    [table],
  )
  return rows[0]?.reltuples ?? NaN
}

test('a table that has grown gets new statistics soon', async () => {
  const { pool } = world.database
  const estimate = () => estimateOf('organizations')
  for (const more of [1_000, 9_000]) {
    const before = await estimate()
    await pool.query(
      `INSERT INTO organizations SELECT gen_random_uuid(), 'Of many', now() FROM generate_series(1, ${more})`,
    )
    await expect.poll(estimate, { timeout: 40_000 }).toBeGreaterThanOrEqual(before + more)
  }
}, 90_000)

// The embedded database has one connection, so that maintenance waits for every transaction.
test.runIf(onServer)(
  'a table gets no statistics while an operator loads it, and has them soon afterwards',
  async () => {
    const { pool } = world.database
    const organizationId = '00000000-0000-7000-8000-000000000001'
    await pool.query(`INSERT INTO organizations VALUES ($1, 'Of users', now())`, [organizationId])
    const load = (client: Pick<typeof pool, 'query'>, count: number) =>
      client.query(
        `INSERT INTO users (id, organization_id, name, created_at)
       SELECT gen_random_uuid(), $1, 'User', now() FROM generate_series(1, ${count})`,
        [organizationId],
      )
    const before = await estimateOf('users')
    const operator = await pool.connect()
    try {
      await operator.query('BEGIN')
      await load(operator, 5_000)
      await refreshStatistics(pool, 'server')
      expect(await estimateOf('users')).toBe(before)
      const age = async () => {
        const { rows } = await operator.query<{ seconds: number }>(
          'SELECT extract(epoch FROM clock_timestamp() - now())::float AS seconds',
        )
        return rows[0]?.seconds
      }
      await expect.poll(age, { timeout: 10_000 }).toBeGreaterThan(LOADING)
      // Meanwhile, a few rows of other transactions are committed.
      await load(pool, 3)
      await pool.query('SELECT pg_stat_force_next_flush()')
      await refreshStatistics(pool, 'server')
      expect(await estimateOf('users')).toBe(before)
      await operator.query('COMMIT')
    } finally {
      operator.release()
    }
    await expect.poll(() => estimateOf('users'), { timeout: 40_000 }).toBeGreaterThanOrEqual(5_003)
  },
  90_000,
)
