// Databases for the tests of a file: an empty one that files use one after the other, or one of a file's own.
import { inject } from 'vitest'
import { type Database, type DatabaseLocation, openDatabase } from '../../src/data/database.ts'
import { copyOf } from './prepare.ts'

export interface LentDatabase {
  readonly location: DatabaseLocation
  readonly open: typeof openDatabase
  /** To be called once it is closed. */
  readonly giveBack: () => Promise<void>
}

interface OpenDatabase {
  readonly location: DatabaseLocation
  readonly database: Database
}

/** Open and empty, for the next file of this worker: opening one costs more than most files do with it. */
const free: OpenDatabase[] = []

async function openCopy(): Promise<OpenDatabase> {
  // It is never closed: its folder, or the server's database, is removed when all tests are over.
  const { location } = await copyOf(inject('template'))
  return { location, database: await openDatabase(location) }
}

/** Everything but the record of the migrations and the tables that are the queue's own. */
const tables = `
  SELECT string_agg(format('%I.%I', schemaname, tablename), ', ') AS names FROM pg_tables
  WHERE (schemaname = 'public' AND tablename <> '_prisma_migrations') OR (schemaname, tablename) = ('pgboss', 'job')`

async function empty({ pool }: Database): Promise<void> {
  const { rows } = await pool.query<{ names: string }>(tables)
  for (const { names } of rows) await pool.query(`TRUNCATE ${names}`)
}

/** An empty database, which is emptied again when it is given back: only its rows may be changed. */
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
 * A database that no file had before, and none gets afterwards.
 *
 * @param reach how to get at it, for tests that stand between the two.
 */
export async function openOwnDatabase(
  reach: (location: DatabaseLocation) => DatabaseLocation | Promise<DatabaseLocation> = (location) => location,
): Promise<LentDatabase> {
  const { location, remove } = await copyOf(inject('template'))
  return { location: await reach(location), open: openDatabase, giveBack: remove }
}
