// The mark of a restore in progress. A killed process leaves it behind, so that no gateway starts on an incomplete
// database.
import { existsSync } from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { DATABASE_FOLDER } from '../driver/database-location.ts'
import { labelled } from '../statement/label.ts'

/** A table in the database. It is dropped in the transaction that loads the rows. */
export const RESTORE_MARK = '_restore'

export const IS_RESTORE_MARKED = `to_regclass('public.${RESTORE_MARK}') IS NOT NULL`

/** The folder of an embedded database that is being restored. It is renamed when it is complete. */
export const UNFINISHED_FOLDER = 'restoring'

export async function markRestore(connection: pg.ClientBase): Promise<void> {
  await connection.query(
    labelled('unfinished-restore.markRestore', `CREATE TABLE IF NOT EXISTS public.${RESTORE_MARK} ()`),
  )
}

export async function unmarkRestore(connection: pg.ClientBase): Promise<void> {
  await connection.query(labelled('unfinished-restore.unmarkRestore', `DROP TABLE IF EXISTS public.${RESTORE_MARK}`))
}

/** The error of a database that a restore has begun to fill. */
export const unfinishedRestore = (): Error =>
  new Error(
    `a restore into this database is in progress, or was ended before it finished: run restore again, or drop the table ${RESTORE_MARK} to begin with an empty database`,
  )

/** @throws Error if a restore into a directory has not been finished. */
export function assertNoUnfinishedFolder(directory: string): void {
  const unfinished = path.join(directory, UNFINISHED_FOLDER)
  if (existsSync(unfinished) && !existsSync(path.join(directory, DATABASE_FOLDER)))
    throw new Error(
      `a restore into ${directory} was ended before it finished: run restore again, or remove the folder ${unfinished} to begin with an empty database`,
    )
}
