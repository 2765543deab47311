// Databases for test files: an empty one that files share one after the other, or a separate one per file.
import { pino } from 'pino'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../../src/data/connection/database.ts'
import { type DatabaseLocation } from '../../src/data/driver/database-location.ts'
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

/**
 * Open, empty databases for the next file of this worker, because opening one takes longer than most test files need.
 */
const free: OpenDatabase[] = []

async function openCopy(): Promise<OpenDatabase> {
  // Never closed, because the folder, or the database on the server, is removed after all tests.
  const { location } = await copyOf(inject('template'))
  // Outlives the files that use it and their loggers.
  return { location, database: await openDatabase(location, pino({ level: 'warn' })) }
}

/** The gateway's tables except the record of migrations, and the size of the largest one in bytes. */
const tables = `
  SELECT array_agg(format('%I.%I', schemaname, tablename)) AS names,
         max(pg_relation_size(format('%I.%I', schemaname, tablename)::regclass))::int AS largest
  FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'`

/** Maximum bytes of a table. The next file should not have to read more dead rows than these. */
const LARGE = 1024 * 1024

/**
 * Empties all tables. Truncating them takes the embedded database much CPU time, because it replaces hundreds of files.
 */
async function empty({ location, database: { pool } }: OpenDatabase): Promise<void> {
  const { rows } = await pool.query<{ names: string[]; largest: number }>(tables)
  for (const { names, largest } of rows) {
    if ('url' in location || largest > LARGE) {
      await pool.query(`TRUNCATE ${names.join(', ')}`)
    } else {
      // In any order, because foreign keys are not checked. Statements sent together are one transaction.
      await pool.query(
        ['SET LOCAL session_replication_role = replica', ...names.map((name) => `DELETE FROM ${name}`)].join('; '),
      )
    }
  }
}

/** Lends an empty database. Returning it only empties its tables, so tests must not change its schema. */
export async function borrowDatabase(): Promise<LentDatabase> {
  const lent = free.pop() ?? (await openCopy())
  return {
    location: lent.location,
    open: async () => ({ ...lent.database, close: async () => {} }),
    async giveBack() {
      await empty(lent)
      free.push(lent)
    },
  }
}

/**
 * Opens a new database for one file.
 *
 * @param reach returns the location to connect to, for tests with a proxy in between.
 */
export async function openOwnDatabase(
  reach: (location: DatabaseLocation) => DatabaseLocation | Promise<DatabaseLocation> = (location) => location,
): Promise<LentDatabase> {
  const { location, remove } = await copyOf(inject('template'))
  return { location: await reach(location), open: openDatabase, giveBack: remove }
}
