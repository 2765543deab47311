// Rewrites encrypted columns in small portions, while others change the same rows.
import { columnParts, type EncryptedColumn, keyIdOf } from './encryption.ts'
import type { Connection } from '../connection/database.ts'
import { sql, sqlCount } from '../statement/statement.ts'

/** Pages of a table to read at a time. They contain up to a few hundred rows. */
export const PORTION_PAGES = 8

export interface StoredCiphertext {
  /** The physical position of the row, which differs after each change. */
  readonly place: string
  readonly environmentId: string
  readonly ciphertext: string
}

/**
 * Returns the number of pages of the table of a column.
 *
 * @throws Error if the table has rows but no pages. Its rows are on other servers then, and would keep the former key.
 */
export async function pagesOfColumn(db: Connection, name: EncryptedColumn): Promise<number> {
  const { table } = columnParts(name)
  const rows = await sql<{ pages: number }>(db, 're-encryption.pagesOfColumn')`
    SELECT ceil(pg_relation_size(${name.split('.')[0]}::regclass) / current_setting('block_size')::numeric)::int AS pages`
  const pages = rows[0]?.pages ?? 0
  if (pages > 0) return pages
  const found = await sql(db, 're-encryption.pagesOfColumn')`SELECT FROM ${table} LIMIT 1`
  if (found.length === 0) return 0
  throw new Error(`the column ${name} has rows on other servers, which would keep their key`)
}

/**
 * Returns the ciphertexts in a portion of a column that were not encrypted with `keyId`. @param page the first page.
 */
export async function ciphertextsOfOtherKeys(
  db: Connection,
  name: EncryptedColumn,
  keyId: string,
  page: number,
): Promise<StoredCiphertext[]> {
  const { table, column } = columnParts(name)
  return sql<StoredCiphertext>(db, 're-encryption.ciphertextsOfOtherKeys')`
    SELECT ctid::text AS place, environment_id AS "environmentId", ${column} AS ciphertext FROM ${table}
    WHERE ctid >= ${`(${page},0)`}::text::tid AND ctid < ${`(${page + PORTION_PAGES},0)`}::text::tid
      AND ${keyIdOf(column)} <> ${keyId}`
}

/**
 * Replaces ciphertexts. Skips rows that were changed since they were read. Also skips rows that a transaction is
 * changing, without waiting for it, so there is no deadlock.
 *
 * @returns the number of replaced ciphertexts.
 */
export async function replaceCiphertexts(
  db: Connection,
  name: EncryptedColumn,
  rows: readonly (StoredCiphertext & { readonly replacement: string })[],
): Promise<number> {
  if (rows.length === 0) return 0
  const { table, column } = columnParts(name)
  const places = rows.map(({ place }) => place)
  return sqlCount(db, 're-encryption.replaceCiphertexts')`
    WITH free AS (
      SELECT stored.ctid AS place, given.replacement FROM ${table} AS stored
      JOIN jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS given(place text, ciphertext text, replacement text)
        ON stored.ctid = given.place::tid AND stored.${column} = given.ciphertext
      WHERE stored.ctid = ANY (${places}::text[]::tid[])
      FOR NO KEY UPDATE OF stored SKIP LOCKED)
    UPDATE ${table} AS stored SET ${column} = free.replacement FROM free WHERE stored.ctid = free.place`
}
