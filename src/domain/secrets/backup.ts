// Backup and restore, with checks that the encryption keys fit the secrets in a backup.
import type { Logger } from 'pino'
import { readBackupFile } from '../../data/backup/backup-file.ts'
import { type Backup, backUp, type TableSize } from '../../data/backup/backup.ts'
import type { Database } from '../../data/connection/database.ts'
import { recordFinished } from '../../data/housekeeping/finished-task.ts'
import type { DatabaseLocation } from '../../data/driver/database-location.ts'
import { type RestorableBackup, restoreInto, type RestoreOptions, stepOf } from '../../data/backup/restore.ts'
import type { Cipher } from '../../lib/cipher.ts'

/** The destination of a backup. */
interface Destination {
  readonly write: (portion: Buffer) => Promise<void>
  /** Moves the written backup into place. */
  readonly finish: () => Promise<void>
}

/** Writes a backup while processes use the database. Once it is in place, it is logged and recorded. */
export async function backUpDatabase(
  {
    database,
    now,
    logger,
  }: { database: Pick<Database, 'client' | 'snapshot' | 'ping'>; now: () => Date; logger: Pick<Logger, 'info'> },
  { write, finish }: Destination,
): Promise<Backup> {
  const backup = await backUp(database, now(), write)
  await finish()
  const { tables, bytes } = backup
  logger.info({ ...OPERATOR, tables: tables.length, rows: rowsIn(tables), bytes }, 'backup written')
  await recordFinished(database.client, 'backup', now())
  return backup
}

/** Backups are only created and restored at the command line. */
const OPERATOR = { actor: 'command line' } as const

const rowsIn = (tables: readonly TableSize[]) => tables.reduce((sum, { rows }) => sum + rows, 0)

/**
 * Reads a whole backup and compares it with its hashes.
 *
 * @param cipher undefined if there are no keys.
 * @throws Error if it is damaged, or if the keys do not decrypt its secrets.
 */
async function readRestorable(
  file: string,
  cipher: Cipher | undefined,
  step: ReturnType<typeof stepOf>,
): Promise<RestorableBackup> {
  let made: RestorableBackup['migrations'] = []
  const recorded = new Map<string, string>()
  await readBackupFile(file, {
    onBytes: (read, all) => step(read, all, 'bytes checked'),
    onHeader({ encryptionKeys, migrations }) {
      made = migrations
      for (const { id, checkValue } of encryptionKeys) recorded.set(id, checkValue)
    },
    onEnd({ neededKeys }) {
      for (const id of neededKeys) {
        const own = cipher?.checkValue(id)
        if (own === undefined)
          throw new Error(
            `the key ring lacks the key "${id}", which secrets of the backup are encrypted with: set ENCRYPTION_KEYS, or copy the key file, of the gateway that made the backup`,
          )
        if (recorded.has(id) && recorded.get(id) !== own)
          throw new Error(`the key "${id}" is not the one that secrets of the backup are encrypted with`)
      }
    },
  })
  return { file, migrations: made }
}

/**
 * Restores a backup into an empty database: the folder of an embedded one, or one on a server. Logs it.
 *
 * @param cipher undefined if there are no keys, which only fits a backup without secrets.
 * @throws the reason of the signal, and Error if the keys do not fit, the database is not empty, or the backup is damaged
 * or too new. Nothing is restored then.
 */
export async function restoreDatabase(
  { location, cipher, ...options }: RestoreOptions & { location: DatabaseLocation; cipher: Cipher | undefined },
  file: string,
): Promise<readonly TableSize[]> {
  const { logger } = options
  const backup = await readRestorable(file, cipher, stepOf(options))
  const tables = await restoreInto(location, backup, options)
  logger.info({ ...OPERATOR, tables: tables.length, rows: rowsIn(tables) }, 'backup restored')
  return tables
}
