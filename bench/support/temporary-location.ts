// A temporary location for a gateway's database: a folder for the embedded one, or a database on a PostgreSQL server.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { DatabaseLocation } from '../../src/data/driver/database-location.ts'
import { createDatabase } from './temporary-database.ts'

/**
 * Runs `work` with the location of a new, empty database, and removes the database at the end.
 *
 * @param server the URL of a PostgreSQL server. If undefined, the database is embedded.
 * @param purpose the beginning of the name of the database.
 */
export async function onTemporaryDatabase(
  server: string | undefined,
  purpose: string,
  work: (name: 'embedded' | 'PostgreSQL', location: DatabaseLocation) => Promise<void>,
): Promise<void> {
  if (server === undefined) {
    const directory = await mkdtemp(path.join(tmpdir(), 'gateway-bench-'))
    await work('embedded', { directory }).finally(() => rm(directory, { recursive: true }))
  } else {
    const { url, remove } = await createDatabase(server, purpose)
    await work('PostgreSQL', { url }).finally(remove)
  }
}
