// Encrypted columns: the keys that they are encrypted with, and rows of earlier versions that are not encrypted yet.
import type { JsonObject } from '../../lib/validation.ts'
import type { Connection } from '../connection/database.ts'
import { Prisma } from '../prisma/client.ts'
import { limitTo } from '../statement/statement.ts'

/** Every column that has ciphertexts. A test finds the ones that are missing. */
export const encryptedColumns = [
  'api_keys.cipher',
  'channel_endpoints.secret',
  'erasures.marks',
  'idempotency_keys.body',
  'integrations.credentials',
  'subscriber_credentials.encrypted_tokens',
  'subscriber_credentials.webhook_url',
] as const
export type EncryptedColumn = (typeof encryptedColumns)[number]

/** The longest key id, and the dot after it. */
const PREFIX_LENGTH = 33

/** Makes statements over whole tables possible in this transaction. */
export async function allowLongStatements(db: Connection): Promise<void> {
  await db.$executeRaw`SET LOCAL statement_timeout = 0`
}

/** The table and the column as parts of a statement. */
export const columnParts = (name: EncryptedColumn) => {
  const [table = '', column = ''] = name.split('.')
  return { table: Prisma.raw(table), column: Prisma.raw(column) }
}

/** The id of the key of a ciphertext, in a statement. */
export const keyIdOf = (column: Prisma.Sql) => Prisma.sql`split_part(left(${column}, ${PREFIX_LENGTH}), '.', 1)`

/** Returns the ids of the keys that a column is encrypted with. Reads the whole column, about a million rows a second. */
export async function keyIdsIn(db: Connection, name: EncryptedColumn): Promise<string[]> {
  const { table, column } = columnParts(name)
  const rows = await db.$queryRaw<{ id: string }[]>`
    SELECT DISTINCT ${keyIdOf(column)} AS id FROM ${table}
    WHERE ${column} IS NOT NULL`
  return rows.map(({ id }) => id)
}

/** Returns a ciphertext of a column that a key encrypted, and its owner. Undefined if there is none. */
export async function ciphertextOf(db: Connection, name: EncryptedColumn, keyId: string) {
  const { table, column } = columnParts(name)
  const [row] = await db.$queryRaw<{ ciphertext: string; environmentId: string }[]>`
    SELECT ${column} AS ciphertext, environment_id AS "environmentId" FROM ${table}
    WHERE ${keyIdOf(column)} = ${keyId} LIMIT 1`
  return row
}

/** All ids are greater. */
const NIL = '00000000-0000-0000-0000-000000000000'

export interface PlainWebhook {
  readonly environmentId: string
  readonly id: string
  readonly endpoint: JsonObject
}

/** Locks and returns the next endpoints of the type `webhook` whose URL is not encrypted, in the order of their key. */
export async function plainWebhooks(
  db: Connection,
  { environmentId = NIL, id = NIL }: Partial<PlainWebhook>,
  take: number,
): Promise<PlainWebhook[]> {
  return db.$queryRaw<PlainWebhook[]>`
    SELECT environment_id AS "environmentId", id, endpoint FROM channel_endpoints
    WHERE type = 'webhook' AND secret IS NULL AND (environment_id, id) > (${environmentId}::uuid, ${id}::uuid)
    ORDER BY environment_id, id ${limitTo(take)} FOR UPDATE`
}

/** Replaces the fields of endpoints by their public and their encrypted part. */
export async function writeEncryptedWebhooks(
  db: Connection,
  rows: readonly (PlainWebhook & { readonly secret: string | null })[],
): Promise<void> {
  await db.$executeRaw`
    UPDATE channel_endpoints SET endpoint = given.endpoint, secret = given.secret
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS given("environmentId" uuid, id uuid, endpoint jsonb, secret text)
    WHERE environment_id = "environmentId" AND channel_endpoints.id = given.id`
}

export interface PlainTokens {
  readonly environmentId: string
  readonly subscriberId: string
  readonly providerId: string
  readonly integrationIdentifier: string
  readonly deviceTokens: readonly string[]
}

/** Locks and returns the next credentials whose device tokens are not encrypted, in the order of their key. */
export async function plainTokens(
  db: Connection,
  { environmentId = NIL, subscriberId = '', providerId = '', integrationIdentifier = '' }: Partial<PlainTokens>,
  take: number,
): Promise<PlainTokens[]> {
  return db.$queryRaw<PlainTokens[]>`
    SELECT environment_id AS "environmentId", subscriber_id AS "subscriberId", provider_id AS "providerId",
           integration_identifier AS "integrationIdentifier", device_tokens AS "deviceTokens"
    FROM subscriber_credentials
    WHERE cardinality(device_tokens) > 0
      AND (environment_id, subscriber_id, provider_id, integration_identifier)
        > (${environmentId}::uuid, ${subscriberId}, ${providerId}, ${integrationIdentifier})
    ORDER BY environment_id, subscriber_id, provider_id, integration_identifier ${limitTo(take)} FOR UPDATE`
}

/** Replaces device tokens by their ciphertext. */
export async function writeEncryptedTokens(
  db: Connection,
  rows: readonly (PlainTokens & { readonly encryptedTokens: string | null })[],
): Promise<void> {
  await db.$executeRaw`
    UPDATE subscriber_credentials AS stored SET device_tokens = '{}', encrypted_tokens = given."encryptedTokens"
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS given("environmentId" uuid, "subscriberId" text, "providerId" text, "integrationIdentifier" text,
               "encryptedTokens" text)
    WHERE stored.environment_id = "environmentId" AND stored.subscriber_id = "subscriberId"
      AND stored.provider_id = "providerId" AND stored.integration_identifier = "integrationIdentifier"`
}
