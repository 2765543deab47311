// A copy of the embedded database as of one moment, which is read while the database serves requests.
import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type pg from 'pg'
import type { Logger } from 'pino'
import { EmbeddedDatabase } from './embedded.ts'
import { labelled } from '../statement/label.ts'

/** The name of the copy in the folder of the database. A copy left by a killed process is removed at the next start. */
export const SNAPSHOT = 'snapshot'

/** A database has one backup at a time. */
export class BackupRunning extends Error {
  constructor() {
    super('another backup is running: try again when it is finished')
  }
}

/** Bytes that must stay free on the disk after a copy. */
const RESERVE = 128 * 1024 * 1024

/** Nanoseconds within which a file may change again without a new modification time. */
const SETTLED = 2_000_000_000n

const LOG = 'pg_wal'

/** Copies the files of a folder, and later the files that have changed since. */
class FolderCopy {
  readonly #from: string
  readonly #to: string
  /** The state of each file when it was copied. */
  readonly #copied = new Map<string, string>()

  constructor(from: string, to: string) {
    this.#from = from
    this.#to = to
  }

  /** Copies what has changed. @param includes false for a file to leave out. */
  async update(includes: (name: string) => boolean): Promise<void> {
    const began = await this.#fileTime()
    for (const entry of await readdir(this.#from, { withFileTypes: true, recursive: true })) {
      const name = path.relative(this.#from, path.join(entry.parentPath, entry.name))
      if (entry.isDirectory()) await mkdir(path.join(this.#to, name), { recursive: true, mode: 0o700 })
      else if (entry.isFile() && includes(name)) await this.#copy(name, began)
    }
  }

  /** The current time as the file system records it, in nanoseconds. */
  async #fileTime(): Promise<bigint> {
    const marker = path.join(this.#to, 'time')
    await writeFile(marker, '')
    const { mtimeNs } = await stat(marker, { bigint: true })
    await rm(marker)
    return mtimeNs
  }

  async #copy(name: string, now: bigint): Promise<void> {
    const source = path.join(this.#from, name)
    try {
      const { mtimeNs, size } = await stat(source, { bigint: true })
      const state = `${mtimeNs} ${size}`
      if (this.#copied.get(name) === state) return
      await copyFile(source, path.join(this.#to, name), constants.COPYFILE_FICLONE)
      if (now - mtimeNs > SETTLED) this.#copied.set(name, state)
    } catch (error) {
      // The database removed the file meanwhile.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
  }
}

async function sizeOf(folder: string): Promise<number> {
  let size = 0
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) size += (await stat(path.join(entry.parentPath, entry.name))).size
  }
  return size
}

/**
 * The segments of the write-ahead log from the last checkpoint on. Older and recycled segments take most of the space.
 */
async function segmentsInUse(connection: pg.ClientBase): Promise<(name: string) => boolean> {
  const { rows } = await connection.query<{ first: string; last: string }>(
    labelled(
      'snapshot.segmentsInUse',
      `SELECT pg_walfile_name(redo_lsn) AS first, pg_walfile_name(pg_current_wal_insert_lsn()) AS last
     FROM pg_control_checkpoint()`,
    ),
  )
  const { first = '', last = '' } = rows[0] ?? {}
  return (name) => name >= first && name <= last
}

/** Copies the database. Its requests wait only while files that changed during the first copy are copied again. */
async function copyDatabase(pool: pg.Pool, database: string, copy: string): Promise<void> {
  const files = new FolderCopy(database, copy)
  const outsideLog = (name: string) => path.dirname(name) !== LOG
  await pool.query(labelled('snapshot.copyDatabase', 'CHECKPOINT'))
  await files.update(outsideLog)
  const connection = await pool.connect()
  try {
    await connection.query(labelled('snapshot.copyDatabase', 'CHECKPOINT'))
    const inUse = await segmentsInUse(connection)
    await files.update((name) => outsideLog(name) || inUse(path.basename(name)))
  } finally {
    connection.release()
  }
}

/**
 * Copies the folder `database` in `directory`, and runs `work` with a connection to the copy.
 *
 * @throws Error if the disk has no space for the copy.
 */
export async function onCopy<Result>(
  pool: pg.Pool,
  { directory, database }: { readonly directory: string; readonly database: string },
  logger: Pick<Logger, 'info' | 'warn'>,
  work: (connection: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  const copy = path.join(directory, SNAPSHOT)
  const { bavail, bsize } = await statfs(directory)
  const needed = (await sizeOf(database)) + RESERVE
  if (bavail * bsize < needed) throw new Error(`${needed} bytes must be free on the disk of ${directory} for the copy`)
  await rm(copy, { recursive: true, force: true })
  await mkdir(copy, { mode: 0o700 })
  try {
    await copyDatabase(pool, database, copy)
    return await EmbeddedDatabase.use(copy, logger, work)
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}
