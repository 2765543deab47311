// The empty database that `npm run build` creates. The first start copies it, which takes a fraction of the time.
import { cpSync, existsSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'

/** Next to the compiled program. Absent when running from source. */
export const emptyDatabase = path.join(import.meta.dirname, '../../empty-database')

/**
 * Creates the directory of a new embedded database. Does nothing if the directory exists, or if no empty database was
 * built, in which case PGlite creates its own.
 */
export function copyEmptyDatabase(directory: string): void {
  if (existsSync(directory) || !existsSync(emptyDatabase)) return
  const copy = `${directory}-new`
  // A killed process may have left it behind.
  rmSync(copy, { recursive: true, force: true })
  cpSync(emptyDatabase, copy, { recursive: true })
  renameSync(copy, directory)
}
