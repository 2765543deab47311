// Applies prisma/migrations at start and records them in Prisma's own table, so that its tools agree.
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import type { Logger } from 'pino'
import { secondsSince } from '../../lib/seconds-since.ts'
import { isConflict, isLockTimeout } from '../driver/database-errors.ts'
import {
  addRecord,
  compare,
  CREATE_RECORD,
  type Migration,
  migrationsFolder,
  readMigrations,
  readRecord,
} from './migration-record.ts'
import { IS_RESTORE_MARKED, unfinishedRestore } from './unfinished-restore.ts'
import { labelled } from '../statement/label.ts'

/** The advisory lock of Prisma's own tools, so that migrations never run in parallel. */
const ADVISORY_LOCK = 72_707_369

/** Milliseconds between attempts to get a lock that another process holds. */
const LOCK_PAUSE = 200

/**
 * Milliseconds for which a migration waits for a table lock before it lets others pass and tries again. Shorter than
 * PostgreSQL's `deadlock_timeout`, because others may lock the same tables in another order.
 */
const TABLE_LOCK_TIMEOUT = 400

/** Attempts to lock the tables. With their pauses, they take about a minute and a half. */
const TABLE_LOCK_ATTEMPTS = 150

/** Prevents migrations until the connection ends. */
export async function keepSchema(connection: pg.ClientBase): Promise<void> {
  await lock(connection, 'pg_try_advisory_lock_shared')
}

export interface AppliedMigration {
  readonly name: string
  readonly checksum: string
}

/** The applied migrations of a database, in order. */
export async function appliedMigrations(connection: pg.ClientBase): Promise<AppliedMigration[]> {
  const rows = await readRecord(connection)
  return rows
    .map(({ migration_name: name, checksum }) => ({ name, checksum }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/**
 * Creates the schema of a backup: applies exactly these migrations, except those that the database already has.
 *
 * @throws Error if this version lacks one of them, or if the database has others.
 */
export async function migrateTo(connection: pg.ClientBase, applied: readonly AppliedMigration[]): Promise<void> {
  const known = new Map((await readMigrations(migrationsFolder)).map((migration) => [migration.name, migration]))
  const wanted = applied.map(({ name, checksum }) => {
    const migration = known.get(name)
    if (migration === undefined)
      throw new Error(`unknown migration ${name} in the backup: the backup was made by a newer version`)
    if (migration.checksum !== checksum) throw new Error(`migration ${name} of the backup has other statements`)
    return migration
  })
  await locked(connection, async () => {
    await connection.query(labelled('migrate.migrateTo', CREATE_RECORD))
    const recorded = await readRecord(connection)
    const other = recorded.find(({ migration_name: name }) => !wanted.some((migration) => migration.name === name))
    if (other !== undefined)
      throw new Error(
        `the database has the migration ${other.migration_name}, which the backup lacks: restore into a new, empty database`,
      )
    for (const migration of compare(wanted, recorded).missing) await apply(connection, migration)
  })
}

type MigrationLogger = Pick<Logger, 'info'>

interface MigrateOptions {
  /** The folder of the migrations. Default: the gateway's own. */
  readonly folder?: string
  /** Default: nothing is logged. */
  readonly logger?: MigrationLogger
}

/**
 * Applies the missing migrations. Processes of the previous version may use the database meanwhile. Safe in several
 * processes at once. Each migration and its record are one transaction, except one that builds indexes concurrently.
 *
 * @returns the names of migrations that this version does not know but can run with.
 * @throws Error if a migration has failed or was edited later, this version is too old, or a restore is unfinished.
 */
export async function migrate(
  connection: pg.ClientBase,
  { folder = migrationsFolder, logger }: MigrateOptions = {},
): Promise<readonly string[]> {
  const migrations = await readMigrations(folder)
  const { missing, unknown } = await compareWith(connection, migrations)
  if (missing.length === 0) return unknown
  try {
    const work = async () => {
      await connection.query(labelled('migrate.migrate', CREATE_RECORD))
      const now = compare(migrations, await readRecord(connection))
      await applyAll(connection, now.missing, logger)
      return now.unknown
    }
    return await locked(connection, work, logger)
  } catch (cause) {
    if (!isDenied(cause)) throw cause
    throw new Error(
      'the database user may not apply the missing migrations: run `notification-gateway migrate` as the owner of the database',
      { cause },
    )
  }
}

/** Returns the names of the missing migrations, in order. Changes nothing. @throws like `migrate`. */
export async function pendingMigrations(connection: pg.ClientBase): Promise<readonly string[]> {
  const { missing } = await compareWith(connection, await readMigrations(migrationsFolder))
  return missing.map(({ name }) => name)
}

/** Needs no right to create anything, and does not wait for others. */
async function compareWith(connection: pg.ClientBase, migrations: readonly Migration[]) {
  const { rows } = await connection.query<{ exists: boolean; marked: boolean }>(
    labelled(
      'migrate.compareWith',
      `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists, ${IS_RESTORE_MARKED} AS marked`,
    ),
  )
  if (rows[0]?.marked === true) throw unfinishedRestore()
  return compare(migrations, rows[0]?.exists === true ? await readRecord(connection) : [])
}

const INSUFFICIENT_PRIVILEGE = '42501'

/** True if the user lacks a right. */
function isDenied(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && error.code === INSUFFICIENT_PRIVILEGE) || isDenied(error.cause)
}

/**
 * Reads our migrations. Another process may migrate or restore the database while it is in use.
 *
 * @returns a function that returns why this version does not fit the database, or undefined if it does.
 */
export function createSchemaCheck(): (connection: Pick<pg.Pool, 'query'>) => Promise<string | undefined> {
  const reading = readMigrations(migrationsFolder)
  return async (connection) => {
    const recorded = await readRecord(connection)
    try {
      const [missing] = compare(await reading, recorded).missing
      return missing && `the database lacks the migration ${missing.name}`
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
}

/** Runs `work` while no other process can apply migrations. */
async function locked<Result>(
  connection: pg.ClientBase,
  work: () => Promise<Result>,
  logger?: MigrationLogger,
): Promise<Result> {
  await lock(connection, 'pg_try_advisory_lock', logger)
  try {
    return await work()
  } finally {
    // Fails only if the connection is lost, which also frees the lock.
    await connection.query(labelled('migrate.locked', 'SELECT pg_advisory_unlock($1)'), [ADVISORY_LOCK]).catch(() => {})
  }
}

/** Polls, because a statement that waits for the lock would block the holder from building an index concurrently. */
async function lock(
  connection: pg.ClientBase,
  take: 'pg_try_advisory_lock' | 'pg_try_advisory_lock_shared',
  logger?: MigrationLogger,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const { rows } = await connection.query<{ locked: boolean }>(
      labelled('migrate.lock', `SELECT ${take}($1) AS locked`),
      [ADVISORY_LOCK],
    )
    if (rows[0]?.locked === true) return
    if (attempt === 1) logger?.info('waiting for the migrations or the backup of another process')
    await pause(LOCK_PAUSE)
  }
}

async function applyAll(connection: pg.ClientBase, migrations: Migration[], logger?: MigrationLogger): Promise<void> {
  if (migrations.length === 0) return
  const start = performance.now()
  const fields = { count: migrations.length, first: migrations[0]?.name, last: migrations.at(-1)?.name }
  logger?.info(fields, 'applying migrations')
  for (const migration of migrations) await apply(connection, migration, logger)
  logger?.info({ ...fields, seconds: secondsSince(start) }, 'migrations applied')
}

async function apply(connection: pg.ClientBase, migration: Migration, logger?: MigrationLogger): Promise<void> {
  try {
    if (/\bCONCURRENTLY\b/.test(migration.sql)) await applyConcurrently(connection, migration)
    else await applyAtOnce(connection, migration, logger)
  } catch (error) {
    throw new Error(`migration ${migration.name} failed`, { cause: error })
  }
}

async function applyAtOnce(connection: pg.ClientBase, migration: Migration, logger?: MigrationLogger): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await connection.query(`BEGIN; SET LOCAL lock_timeout = ${TABLE_LOCK_TIMEOUT}`)
      await connection.query(labelled('migrate.applyAtOnce', migration.sql))
      await addRecord(connection, migration)
      await connection.query('COMMIT')
      return
    } catch (error) {
      await connection.query('ROLLBACK').catch(() => {})
      const isBusy = isLockTimeout(error) || isConflict(error)
      if (!isBusy || attempt === TABLE_LOCK_ATTEMPTS) throw error
      if (attempt === 1) logger?.info({ migration: migration.name }, 'migration waits for a table that is in use')
      await pause(LOCK_PAUSE)
    }
  }
}

/**
 * Builds indexes without blocking writes, which is not possible in a transaction. Every statement must be repeatable,
 * because an interrupted migration starts over: CONTRIBUTING.md has the rule.
 */
async function applyConcurrently(connection: pg.ClientBase, migration: Migration): Promise<void> {
  for (const statement of migration.sql.split(/;\s*$/m)) {
    if (statement.replaceAll(/^--.*$/gm, '').trim() !== '')
      await connection.query(labelled('migrate.applyConcurrently', statement))
  }
  await addRecord(connection, migration)
}
