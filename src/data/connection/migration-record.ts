// The migrations of this version, and the record of those that a database has, in Prisma's own table.
import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type pg from 'pg'
import { labelled } from '../statement/label.ts'

export const migrationsFolder = path.join(import.meta.dirname, '../../../prisma/migrations')

/** A part of the names of migrations that earlier versions cannot work with. CONTRIBUTING.md has the rule. */
const CONTRACT = '_contract_'

export interface Migration {
  readonly name: string
  readonly sql: string
  readonly checksum: string
}

export async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(path.join(folder, name, 'migration.sql'), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

export const CREATE_RECORD = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id" VARCHAR(36) PRIMARY KEY NOT NULL,
  "checksum" VARCHAR(64) NOT NULL,
  "finished_at" TIMESTAMPTZ,
  "migration_name" VARCHAR(255) NOT NULL,
  "logs" TEXT,
  "rolled_back_at" TIMESTAMPTZ,
  "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
  "applied_steps_count" INTEGER NOT NULL DEFAULT 0
)`

interface Applied {
  readonly migration_name: string
  readonly checksum: string
  readonly finished_at: Date | null
}

export async function readRecord(connection: Pick<pg.Pool, 'query'>): Promise<Applied[]> {
  const { rows } = await connection.query<Applied>(
    labelled(
      'migration-record.readRecord',
      'SELECT migration_name, checksum, finished_at FROM "_prisma_migrations" WHERE rolled_back_at IS NULL',
    ),
  )
  return rows
}

/** Returns the missing migrations, and the names of newer ones. @throws Error if the record contradicts ours. */
export function compare(migrations: readonly Migration[], record: readonly Applied[]) {
  const missing = new Map(migrations.map((migration) => [migration.name, migration]))
  const unknown: string[] = []
  for (const { migration_name: name, checksum, finished_at } of record) {
    if (finished_at === null)
      throw new Error(`migration ${name} failed earlier: repair the database and its record first`)
    const migration = missing.get(name)
    if (migration === undefined) {
      if (name.includes(CONTRACT)) throw new Error(`the database is too new for this version: it has migration ${name}`)
      unknown.push(name)
    } else if (migration.checksum !== checksum) {
      throw new Error(`migration ${name} was edited after it was applied`)
    }
    missing.delete(name)
  }
  return { missing: [...missing.values()], unknown }
}

export async function addRecord(connection: pg.ClientBase, { name, checksum }: Migration): Promise<void> {
  await connection.query(
    labelled(
      'migration-record.addRecord',
      `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, now(), now(), 1)`,
    ),
    [randomUUID(), checksum, name],
  )
}
