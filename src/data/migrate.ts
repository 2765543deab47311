// Applies prisma/migrations at start and records them in Prisma's own table, so that its tools agree.
import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type pg from 'pg'

const folder = path.join(import.meta.dirname, '../../prisma/migrations')

/** The advisory lock that Prisma's own tools use, so that migrations never run in parallel. */
const ADVISORY_LOCK = 72_707_369

const record = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id" VARCHAR(36) PRIMARY KEY NOT NULL,
  "checksum" VARCHAR(64) NOT NULL,
  "finished_at" TIMESTAMPTZ,
  "migration_name" VARCHAR(255) NOT NULL,
  "logs" TEXT,
  "rolled_back_at" TIMESTAMPTZ,
  "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
  "applied_steps_count" INTEGER NOT NULL DEFAULT 0
)`

interface Migration {
  readonly name: string
  readonly sql: string
  readonly checksum: string
}

async function readMigrations(): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(path.join(folder, name, 'migration.sql'), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/**
 * Applies the missing migrations. Several processes may do so at once. Each migration and its record are one
 * transaction.
 *
 * @throws Error if a migration failed before, was edited after it was applied, or is unknown to this version.
 */
export async function migrate(connection: pg.ClientBase): Promise<void> {
  const migrations = await readMigrations()
  await connection.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK])
  try {
    await connection.query(record)
    const missing = missingOf(migrations, await readRecord(connection))
    for (const migration of missing) await apply(connection, migration)
  } finally {
    // Fails only if the connection is lost, and the lock with it.
    await connection.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCK]).catch(() => {})
  }
}

interface Applied {
  readonly migration_name: string
  readonly checksum: string
  readonly finished_at: Date | null
}

async function readRecord(connection: pg.ClientBase): Promise<Applied[]> {
  const { rows } = await connection.query<Applied>(
    'SELECT migration_name, checksum, finished_at FROM "_prisma_migrations" WHERE rolled_back_at IS NULL',
  )
  return rows
}

/** The migrations to apply. @throws Error if the record contradicts ours. */
function missingOf(migrations: readonly Migration[], record: readonly Applied[]): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  for (const { migration_name: name, checksum, finished_at } of record) {
    const migration = known.get(name)
    if (migration === undefined)
      throw new Error(`unknown migration ${name} in the database: the database is newer than this version`)
    if (finished_at === null)
      throw new Error(`migration ${name} failed earlier: repair the database and its record first`)
    if (migration.checksum !== checksum) throw new Error(`migration ${name} was edited after it was applied`)
    known.delete(name)
  }
  return [...known.values()]
}

async function apply(connection: pg.ClientBase, { name, sql, checksum }: Migration): Promise<void> {
  await connection.query('BEGIN')
  try {
    await connection.query(sql)
    await connection.query(
      `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), now(), 1)`,
      [randomUUID(), checksum, name],
    )
    await connection.query('COMMIT')
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => {})
    throw new Error(`migration ${name} failed and was rolled back`, { cause: error })
  }
}
