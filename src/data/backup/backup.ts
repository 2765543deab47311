// Backups: all rows as of one moment, from the embedded database or a server.
import type pg from 'pg'
import { type BackupHeader, type TableDump, writeBackup } from './backup-file.ts'
import type { Database } from '../connection/database.ts'
import { type TableContent, dumpTable, type StoredTable, tablesOf, useTextFormat } from './dump.ts'
import { encryptedColumns } from '../secrets/encryption.ts'
import { lockBackup } from '../lock.ts'
import { appliedMigrations } from '../connection/migrate.ts'
import { BackupRunning } from '../embedded/snapshot.ts'
import { labelled } from '../statement/label.ts'

export interface TableSize {
  readonly name: string
  readonly rows: number
}

export interface Backup {
  readonly tables: readonly TableSize[]
  /** The size of the backup in bytes. */
  readonly bytes: number
}

const TAB = 0x09
const DOT = 0x2e

/** The id of the key that encrypted a field of a row. Undefined if the field is null. */
function keyIdIn(row: Buffer, field: number): string | undefined {
  let from = 0
  for (let index = 0; index < field; index += 1) from = row.indexOf(TAB, from) + 1
  if (row[from] === 0x5c) return undefined
  return row.subarray(from, row.indexOf(DOT, from)).toString()
}

/** Dumps tables one after the other, and collects the ids of the encryption keys that their rows need. */
class Dump {
  readonly sizes: TableSize[] = []
  readonly neededKeys = new Set<string>()
  readonly #connection: pg.ClientBase
  readonly #assertSpace: () => Promise<void>

  /** @param assertSpace throws if the disk of the database is nearly full. */
  constructor(connection: pg.ClientBase, assertSpace: () => Promise<void>) {
    this.#connection = connection
    this.#assertSpace = assertSpace
  }

  *of(tables: readonly StoredTable[]): Generator<TableDump> {
    for (const table of tables) yield { table, rows: this.#rows(table) }
  }

  async *#rows(table: StoredTable): AsyncGenerator<Buffer, TableContent> {
    const encrypted = table.columns.flatMap((column, index) =>
      encryptedColumns.some((name) => name === `${table.name}.${column}`) ? [index] : [],
    )
    const portions = dumpTable(this.#connection, table, (row) => {
      for (const field of encrypted) {
        const id = keyIdIn(row, field)
        if (id !== undefined) this.neededKeys.add(id)
      }
    })
    for (;;) {
      await this.#assertSpace()
      const { done, value } = await portions.next()
      if (done !== true) {
        yield value
        continue
      }
      this.sizes.push({ name: table.name, rows: value.rows })
      return value
    }
  }
}

async function recordedKeys(connection: pg.ClientBase): Promise<BackupHeader['encryptionKeys']> {
  const { rows } = await connection.query<{ id: string; checkValue: string }>(
    labelled('backup.recordedKeys', 'SELECT id, check_value AS "checkValue" FROM encryption_keys ORDER BY id'),
  )
  return rows
}

/**
 * Writes all rows of the database as of one moment, while processes use it. The encryption keys, which its secrets
 * need, are not part of a backup.
 *
 * @throws Error if another backup is running, or whatever `write` throws.
 */
export async function backUp(
  database: Pick<Database, 'snapshot' | 'ping'>,
  at: Date,
  write: (portion: Buffer) => Promise<void>,
): Promise<Backup> {
  return database.snapshot(async (connection) => {
    if (!(await lockBackup(connection))) throw new BackupRunning()
    await useTextFormat(connection)
    const header = {
      createdAt: at.toISOString(),
      migrations: await appliedMigrations(connection),
      encryptionKeys: await recordedKeys(connection),
    }
    const tables = await tablesOf(connection)
    const dump = new Dump(connection, () => database.ping())
    const bytes = await writeBackup(write, header, dump.of(tables), () => ({
      neededKeys: [...dump.neededKeys].sort(),
    }))
    return { tables: dump.sizes, bytes }
  })
}
