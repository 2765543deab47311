// Encrypted columns, and the keys that they are encrypted with.
import type { Connection } from '../connection/database.ts'
import { Prisma } from '../prisma/client.ts'
import { sql, sqlCount } from '../statement/statement.ts'

/** Every column with ciphertexts. A test checks that none is missing. */
export const encryptedColumns = [
  'address_keys.cipher',
  'api_keys.cipher',
  'channel_connections.secret',
  'channel_endpoints.secret',
  'deliveries.secret_content',
  'erasures.marks',
  'events.secret_payload',
  'idempotency_keys.body',
  'integrations.credentials',
  'subscriber_credentials.encrypted_tokens',
  'subscriber_credentials.webhook_url',
  'suppressions.address_cipher',
  'webhook_subscriptions.former_secret',
  'webhook_subscriptions.secret',
  'webhook_subscriptions.url',
] as const
export type EncryptedColumn = (typeof encryptedColumns)[number]

/** The longest key id, and the dot after it. */
const PREFIX_LENGTH = 33

/** Allows statements over whole tables in this transaction. */
export async function allowLongStatements(db: Connection): Promise<void> {
  await sqlCount(db, 'encryption.allowLongStatements')`SET LOCAL statement_timeout = 0`
}

/** The table and the column as parts of a statement. */
export const columnParts = (name: EncryptedColumn) => {
  const [table = '', column = ''] = name.split('.')
  return { table: Prisma.raw(table), column: Prisma.raw(column) }
}

/** The id of the key of a ciphertext, in SQL. */
export const keyIdOf = (column: Prisma.Sql) => Prisma.sql`split_part(left(${column}, ${PREFIX_LENGTH}), '.', 1)`

/** Returns the ids of the keys that a column is encrypted with. Reads the whole column, about a million rows a second. */
export async function keyIdsIn(db: Connection, name: EncryptedColumn): Promise<string[]> {
  const { table, column } = columnParts(name)
  const rows = await sql<{ id: string }>(db, 'encryption.keyIdsIn')`
    SELECT DISTINCT ${keyIdOf(column)} AS id FROM ${table}
    WHERE ${column} IS NOT NULL`
  return rows.map(({ id }) => id)
}

/** Returns a ciphertext of a column that a given key encrypted, and its owner. Undefined if there is none. */
export async function ciphertextOf(db: Connection, name: EncryptedColumn, keyId: string) {
  const { table, column } = columnParts(name)
  const [row] = await sql<{ ciphertext: string; environmentId: string }>(db, 'encryption.ciphertextOf')`
    SELECT ${column} AS ciphertext, environment_id AS "environmentId" FROM ${table}
    WHERE ${keyIdOf(column)} = ${keyId} LIMIT 1`
  return row
}
