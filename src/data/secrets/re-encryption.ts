// Rewrites encrypted columns in small portions, while others change the same rows.
import { columnParts, type EncryptedColumn, keyIdOf } from './encryption.ts'
import type { Connection } from '../connection/database.ts'

/** Pages of a table that are read at a time: up to a few hundred rows. */
export const PORTION_PAGES = 8

export interface StoredCiphertext {
  /** The physical position of the row, which differs after each change. */
  readonly place: string
  readonly environmentId: string
  readonly ciphertext: string
}

/** Returns the number of pages of the table of a column. */
export async function pagesOfColumn(db: Connection, name: EncryptedColumn): Promise<number> {
  const [table] = name.split('.')
  const rows = await db.$queryRaw<{ pages: number }[]>`
    SELECT ceil(pg_relation_size(${table}::regclass) / current_setting('block_size')::numeric)::int AS pages`
  return rows[0]?.pages ?? 0
}

/** Returns the ciphertexts in a portion of a column that other keys than `keyId` encrypted. @param page the first page. */
export async function ciphertextsOfOtherKeys(
  db: Connection,
  name: EncryptedColumn,
  keyId: string,
  page: number,
): Promise<StoredCiphertext[]> {
  const { table, column } = columnParts(name)
  return db.$queryRaw<StoredCiphertext[]>`
    SELECT ctid::text AS place, environment_id AS "environmentId", ${column} AS ciphertext FROM ${table}
    WHERE ctid >= ${`(${page},0)`}::text::tid AND ctid < ${`(${page + PORTION_PAGES},0)`}::text::tid
      AND ${keyIdOf(column)} <> ${keyId}`
}

/**
 * Replaces ciphertexts. A row that was changed since it was read keeps its value, and one that a transaction is changing is
 * left out without waiting for it, so there is no deadlock.
 *
 * @returns the number of replaced ones.
 */
export async function replaceCiphertexts(
  db: Connection,
  name: EncryptedColumn,
  rows: readonly (StoredCiphertext & { readonly replacement: string })[],
): Promise<number> {
  if (rows.length === 0) return 0
  const { table, column } = columnParts(name)
  const places = rows.map(({ place }) => place)
  return db.$executeRaw`
    WITH free AS (
      SELECT stored.ctid AS place, given.replacement FROM ${table} AS stored
      JOIN jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS given(place text, ciphertext text, replacement text)
        ON stored.ctid = given.place::tid AND stored.${column} = given.ciphertext
      WHERE stored.ctid = ANY (${places}::text[]::tid[])
      FOR NO KEY UPDATE OF stored SKIP LOCKED)
    UPDATE ${table} AS stored SET ${column} = free.replacement FROM free WHERE stored.ctid = free.place`
}
