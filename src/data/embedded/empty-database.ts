// The empty database that `npm run build` creates. The first start copies it, which takes a fraction of the time.
import { cpSync, existsSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'

/** Beside the compiled program. Absent when it runs from source. */
export const emptyDatabase = path.join(import.meta.dirname, '../../empty-database')

/**
 * Creates the directory of a new embedded database. Does nothing if there is one already, or if no empty database was
 * built: then PGlite creates its own.
 */
export function copyEmptyDatabase(directory: string): void {
  if (existsSync(directory) || !existsSync(emptyDatabase)) return
  const copy = `${directory}-new`
  // Left by a process that was killed.
  rmSync(copy, { recursive: true, force: true })
  cpSync(emptyDatabase, copy, { recursive: true })
  renameSync(copy, directory)
}
