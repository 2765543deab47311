// Planner statistics of tables that grow.
import { expect, test } from 'vitest'
import { useWorld } from './support/world.ts'

const world = useWorld({ ownDatabase: true })

test('a table that has grown gets new statistics soon', async () => {
  const { pool } = world.database
  const estimate = async () => {
    const { rows } = await pool.query<{ reltuples: number }>(
      `SELECT reltuples FROM pg_class WHERE relname = 'organizations'`,
    )
    return rows[0]?.reltuples ?? NaN
  }
  for (const more of [1_000, 9_000]) {
    const before = await estimate()
    await pool.query(
      `INSERT INTO organizations SELECT gen_random_uuid(), 'Of many', now() FROM generate_series(1, ${more})`,
    )
    await expect.poll(estimate, { timeout: 40_000 }).toBeGreaterThanOrEqual(before + more)
  }
}, 90_000)
