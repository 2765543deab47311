// restore: loads a backup into an empty database, embedded or on a server.
import { z } from 'zod'
import { RESTORED } from '../../data/backup/restore.ts'
import { restoreDatabase } from '../../domain/secrets/backup.ts'
import { openExistingCipher } from '../../lib/key-file.ts'
import { argument, command } from '../command/command.ts'
import { assertReadable } from '../command/file-error.ts'
import { chosenLocation, databaseOption } from '../command/named-database.ts'
import { textTable } from '../output/text-table.ts'

export const restore = command({
  place: 'process',
  description: 'Restores a backup into an empty database.',
  details:
    'With DATABASE_URL, that is an empty database on a PostgreSQL server. Otherwise it is the embedded database in DATA_DIR, which must not exist yet. Set ENCRYPTION_KEYS, or copy the file encryption-keys to DATA_DIR first: the backup does not have the keys. The rows of each table are compared with the backup at the end. If anything fails, or at Ctrl-C, no rows are restored. If the process is killed, run the command again: until then, no gateway starts on the database.',
  examples: [
    ['restore gateway.backup', 'into the database that DATABASE_URL or DATA_DIR names'],
    ['restore --database eu eu.backup', 'into one of DATABASES'],
  ],
  parameters: { file: argument('FILE', 'backup to read', z.string()), database: databaseOption },
  interrupted: (progress) =>
    progress?.unit === RESTORED
      ? 'all rows are restored. Start the gateway, which applies the migrations that are newer than the backup'
      : 'nothing was restored, and the database has no rows. Run the same command again',
  async run({ settings, logger, signal, progress }, { file, database }) {
    await assertReadable(file)
    const location = chosenLocation(settings, database)
    const onProgress = (done: number, all: number, unit: string) => progress({ done, unit, part: all && done / all })
    // A restore creates no keys, because the backup needs its own.
    const options = { location, cipher: await openExistingCipher(settings), logger, signal, onProgress }
    const tables = await restoreDatabase(options, file)
    const sizes = tables.map(({ name, rows }) => [name, String(rows)])
    return { text: textTable(['table', 'rows'], sizes), result: { tables } }
  },
})
