// Databases for test files: an empty one that files use in turn, or one of a file's own.
import { pino } from 'pino'
import { inject } from 'vitest'
import { type Database, type DatabaseLocation, openDatabase } from '../../src/data/database.ts'
import { copyOf } from './prepare.ts'

export interface LentDatabase {
  readonly location: DatabaseLocation
  readonly open: typeof openDatabase
  /** Call this after closing the database. */
  readonly giveBack: () => Promise<void>
}

interface OpenDatabase {
  readonly location: DatabaseLocation
  readonly database: Database
}

/** Open, empty databases for the next file of this worker: opening one takes longer than most test files need. */
const free: OpenDatabase[] = []

async function openCopy(): Promise<OpenDatabase> {
  // Never closed: its folder, or the database on the server, is removed after all tests.
  const { location } = await copyOf(inject('template'))
  // It outlives the files that use it and their loggers. At level debug it reports every LISTEN connection it closes.
  return { location, database: await openDatabase(location, pino({ level: 'warn' })) }
}

/** The gateway's tables except the record of migrations. */
const tables = `
  SELECT string_agg(format('%I.%I', schemaname, tablename), ', ') AS names FROM pg_tables
  WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'`

async function empty({ pool }: Database): Promise<void> {
  const { rows } = await pool.query<{ names: string }>(tables)
  for (const { names } of rows) await pool.query(`TRUNCATE ${names}`)
}

/** Lends an empty database. Giving it back only empties its tables, so tests must not change its schema. */
export async function borrowDatabase(): Promise<LentDatabase> {
  const lent = free.pop() ?? (await openCopy())
  return {
    location: lent.location,
    open: async () => ({ ...lent.database, close: async () => {} }),
    async giveBack() {
      await empty(lent.database)
      free.push(lent)
    },
  }
}

/**
 * Opens a new database for one file.
 *
 * @param reach returns the location to connect to, for tests that put a proxy in between.
 */
export async function openOwnDatabase(
  reach: (location: DatabaseLocation) => DatabaseLocation | Promise<DatabaseLocation> = (location) => location,
): Promise<LentDatabase> {
  const { location, remove } = await copyOf(inject('template'))
  return { location: await reach(location), open: openDatabase, giveBack: remove }
}
