// Restores a backup into an empty database, embedded or on a server, in one transaction.
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { readBackupFile } from './backup-file.ts'
import type { TableSize } from './backup.ts'
import { copyIn } from '../driver/copy.ts'
import { type DatabaseLogger, onServer, openDatabase } from '../connection/database.ts'
import { DATABASE_FOLDER, type DatabaseLocation, type ServerLocation } from '../driver/database-location.ts'
import { holdDirectory } from '../embedded/directory-lock.ts'
import {
  type TableContent,
  columnsOf,
  contentOfTable,
  nameOf,
  type StoredTable,
  tablesOf,
  useTextFormat,
} from './dump.ts'
import { EmbeddedDatabase } from '../embedded/embedded.ts'
import { type AppliedMigration, migrateTo } from '../connection/migrate.ts'
import { markRestore, RESTORE_MARK, UNFINISHED_FOLDER, unmarkRestore } from '../connection/unfinished-restore.ts'
import { labelled } from '../statement/label.ts'
import { type RestoreStep, suspendChecks } from './suspended-checks.ts'

/** A backup that was read once and found complete. */
export interface RestorableBackup {
  readonly file: string
  readonly migrations: readonly AppliedMigration[]
}

/** How a restore is observed and stopped. */
export interface RestoreOptions {
  readonly logger: DatabaseLogger
  /** Aborts the restore, as long as its rows are not committed. Afterwards it has no effect. */
  readonly signal: AbortSignal
  /** Called often, with the progress of the current stage. @param unit such as `rows compared`. */
  readonly onProgress: (done: number, all: number, unit: string) => void
}

/** The unit of progress once the rows are committed. */
export const RESTORED = 'rows restored'

/** @returns a step that throws the signal's reason once it is aborted. */
export const stepOf =
  ({ signal, onProgress }: Pick<RestoreOptions, 'signal' | 'onProgress'>): RestoreStep =>
  (done, all, unit) => {
    onProgress(done, all, unit)
    signal.throwIfAborted()
  }

/** @throws Error that names a table or view that belongs neither to the gateway nor to an extension. */
async function assertOwn(connection: pg.ClientBase): Promise<void> {
  const { rows } = await connection.query<{ name: string }>(
    labelled(
      'restore.assertOwn',
      `
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')
      AND to_regclass('public._prisma_migrations') IS NULL AND relname <> '${RESTORE_MARK}'
      AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
    ORDER BY relname LIMIT 1`,
    ),
  )
  const [found] = rows
  if (found !== undefined)
    throw new Error(`the database has the table ${found.name}: restore into a new, empty database`)
}

/** @throws Error that names a table with rows. */
async function assertEmpty(connection: pg.ClientBase, tables: readonly StoredTable[]): Promise<void> {
  for (const table of tables) {
    const { rows } = await connection.query(labelled('restore.assertEmpty', `SELECT 1 FROM ${nameOf(table)} LIMIT 1`))
    if (rows.length > 0) throw new Error(`the table ${table.name} has rows already: restore into a new, empty database`)
  }
}

/** Sets every sequence to continue after the greatest number in its column. */
async function advanceSequences(connection: pg.ClientBase, table: StoredTable): Promise<void> {
  for (const column of table.columns) {
    const { rows } = await connection.query<{ sequence: string | null }>(
      labelled('restore.advanceSequences', 'SELECT pg_get_serial_sequence($1, $2) AS sequence'),
      [nameOf(table), column],
    )
    const sequence = rows[0]?.sequence ?? null
    if (sequence === null) continue
    const greatest = `SELECT max(${pg.escapeIdentifier(column)}) FROM ${nameOf(table)}`
    await connection.query(
      labelled(
        'restore.advanceSequences',
        `SELECT setval($1::regclass, coalesce((${greatest}), 1), (${greatest}) IS NOT NULL)`,
      ),
      [sequence],
    )
  }
}

/** @returns the table of the schema. @throws Error if the schema has a different one. */
function matching(tables: readonly StoredTable[], given: StoredTable): StoredTable {
  const own = tables.find(({ name }) => name === given.name)
  // The names become part of statements, and the file may have any content.
  if (own === undefined || own.columns.length !== given.columns.length)
    throw new Error(`the backup has an unknown table`)
  if (!own.columns.every((column) => given.columns.includes(column)))
    throw new Error(`the table ${own.name} of the backup has other columns than its migrations make`)
  return { name: own.name, columns: given.columns }
}

/** @throws Error if a table differs from the backup. */
async function compare(
  connection: pg.ClientBase,
  tables: ReadonlyMap<StoredTable, TableContent>,
  step: RestoreStep,
): Promise<void> {
  const all = [...tables.values()].reduce((sum, { rows }) => sum + rows, 0)
  let before = 0
  for (const [table, expected] of tables) {
    const found = await contentOfTable(connection, table, (rows) => step(before + rows, all, 'rows compared'))
    before += found.rows
    if (found.rows !== expected.rows || found.hash !== expected.hash)
      throw new Error(`the restored rows of ${table.name} differ from the backup`)
  }
}

/** Loads the rows and compares them, in one transaction. */
async function load(connection: pg.ClientBase, file: string, step: RestoreStep): Promise<TableSize[]> {
  await unmarkRestore(connection)
  await useTextFormat(connection)
  const tables = await tablesOf(connection)
  const resumeChecks = await suspendChecks(connection, tables, step)
  await assertEmpty(connection, tables)
  const contents = new Map<StoredTable, TableContent>()
  let current: StoredTable = { name: '', columns: [] }
  await readBackupFile(file, {
    onTable(table) {
      current = matching(tables, table)
    },
    onRows(rows) {
      const sql = `COPY ${nameOf(current)} (${columnsOf(current)}) FROM STDIN`
      return copyIn(connection, labelled('restore.load', sql), rows)
    },
    onContent: (_table, content) => void contents.set(current, content),
    onBytes: (read, all) => step(read, all, 'bytes loaded'),
  })
  const missing = tables.find(({ name }) => ![...contents.keys()].some((table) => table.name === name))
  if (missing !== undefined) throw new Error(`the backup lacks the table ${missing.name}`)
  await compare(connection, contents, step)
  await resumeChecks()
  for (const table of tables) await advanceSequences(connection, table)
  return [...contents].map(([{ name }, { rows }]) => ({ name, rows }))
}

/** Cancels the statement in progress, such as a slow creation of an index. @param pid of its connection. */
type Cancel = (pid: number) => void

const cancelOn =
  (location: ServerLocation, logger: DatabaseLogger): Cancel =>
  (pid) =>
    void onServer(location, logger, (other) =>
      other.query(labelled('restore.cancelOn', 'SELECT pg_cancel_backend($1)'), [pid]),
    ).catch((error: unknown) =>
      // It stops after the statement.
      logger.warn({ err: error }, 'statement of the restore not cancelled: stopping after it'),
    )

/** Restores all rows or none. Excludes migrations: a new enum value cannot be used in the transaction that adds it. */
async function restoreOn(
  connection: pg.ClientBase,
  { file, migrations }: RestorableBackup,
  cancel: Cancel,
  options: RestoreOptions,
): Promise<TableSize[]> {
  const { signal } = options
  await assertOwn(connection)
  await assertEmpty(connection, await tablesOf(connection))
  signal.throwIfAborted()
  await markRestore(connection)
  try {
    await migrateTo(connection, migrations)
    const { rows } = await connection.query<{ pid: number }>(
      labelled('restore.restoreOn', 'SELECT pg_backend_pid() AS pid'),
    )
    await connection.query('BEGIN')
    const stop = () => cancel(rows[0]?.pid ?? 0)
    signal.addEventListener('abort', stop)
    const sizes = await load(connection, file, stepOf(options)).finally(() => signal.removeEventListener('abort', stop))
    await connection.query('COMMIT')
    return sizes
  } catch (error) {
    // These fail only if the connection is lost. The mark stays then.
    await connection.query('ROLLBACK').catch(() => {})
    await unmarkRestore(connection).catch(() => {})
    signal.throwIfAborted()
    throw error
  }
}

async function restoreInFolder(
  location: Exclude<DatabaseLocation, ServerLocation>,
  backup: RestorableBackup,
  options: RestoreOptions,
): Promise<TableSize[]> {
  const { directory } = location
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const release = await holdDirectory(directory)
  const unfinished = path.join(directory, UNFINISHED_FOLDER)
  const database = path.join(directory, DATABASE_FOLDER)
  try {
    if (existsSync(database))
      throw new Error(`${directory} already has a database: restore into another folder, which DATA_DIR names`)
    await rm(unfinished, { recursive: true, force: true })
    // Otherwise, the folder would start as a copy of the empty database, which has tables.
    await mkdir(unfinished, { mode: 0o700 })
    const sizes = await EmbeddedDatabase.use(unfinished, options.logger, (connection, abandon) =>
      restoreOn(connection, backup, abandon, options),
    )
    await rename(unfinished, database)
    return sizes
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    throw error
  } finally {
    await release()
  }
}

/**
 * Restores a backup into an empty database, and then applies the migrations that are newer than the backup. The rows of
 * each table are compared with the backup at the end. After an error, the database has no rows, unless it was a
 * migration that failed. If the process is killed, no gateway starts on the database until the restore is repeated.
 *
 * @throws the reason of the signal, or Error if the database is not empty, if the backup was made by a newer version,
 *   or if it is damaged.
 */
export async function restoreInto(
  location: DatabaseLocation,
  backup: RestorableBackup,
  options: RestoreOptions,
): Promise<TableSize[]> {
  const { logger } = options
  const sizes =
    'url' in location
      ? await onServer(location, logger, (client) => restoreOn(client, backup, cancelOn(location, logger), options))
      : await restoreInFolder(location, backup, options)
  const rows = sizes.reduce((sum, table) => sum + table.rows, 0)
  options.onProgress(rows, rows, RESTORED)
  await (await openDatabase(location, logger)).close()
  return sizes
}
