// The rows of all tables as text, and a hash of each table that does not depend on the order of its rows.
import { createHash } from 'node:crypto'
import pg from 'pg'
import { copyOut } from '../driver/copy.ts'
import { RESTORE_MARK } from '../connection/unfinished-restore.ts'
import { labelled } from '../statement/label.ts'

export interface StoredTable {
  readonly name: string
  /** The stored columns, without generated ones. */
  readonly columns: readonly string[]
}

/** The number of rows of a table, and the sum of their hashes in hexadecimal. */
export interface TableContent {
  readonly rows: number
  readonly hash: string
}

/** Gives the same text on every server, and all digits of a number. */
const TEXT_FORMAT = `SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO'; SET LOCAL IntervalStyle = 'postgres';
  SET LOCAL extra_float_digits = 1; SET LOCAL bytea_output = 'hex'; SET LOCAL statement_timeout = 0`

/** Bytes of text that are held in memory at a time. */
const PORTION = 2 * 1024 * 1024
/**
 * The maximum number of pages that one statement reads. Values stored outside a page (TOAST) may be much longer than
 * the page.
 */
const MAX_PAGES = 512

const SHA256_WORDS = 4

/** Adds up the hashes of rows in words of 64 bits, without carry. */
export class RowSum {
  readonly #words = new BigUint64Array(SHA256_WORDS)
  #rows = 0

  add(row: Buffer): void {
    const hash = createHash('sha256').update(row).digest()
    for (const word of this.#words.keys()) {
      this.#words[word] = (this.#words[word] ?? 0n) + hash.readBigUInt64LE(word * 8)
    }
    this.#rows += 1
  }

  content(): TableContent {
    return { rows: this.#rows, hash: Buffer.from(this.#words.buffer).toString('hex') }
  }
}

/** Sets the transaction to the text format of a dump, without a time limit. */
export async function useTextFormat(connection: pg.ClientBase): Promise<void> {
  await connection.query(TEXT_FORMAT)
}

/**
 * The gateway's tables, ordered by name. Leaves out the record of migrations, the mark of a restore, and unlogged
 * tables, which a crash empties anyway.
 */
export async function tablesOf(connection: pg.ClientBase): Promise<StoredTable[]> {
  const { rows } = await connection.query<StoredTable>(
    labelled(
      'dump.tablesOf',
      `
    SELECT relname AS name,
           array_agg(attname::text ORDER BY attnum) FILTER (WHERE attgenerated = '') AS columns
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relpersistence = 'p'
      AND relname NOT IN ('_prisma_migrations', '${RESTORE_MARK}')
    GROUP BY relname ORDER BY relname COLLATE "C"`,
    ),
  )
  return rows
}

/** A table and its columns for COPY. */
export const columnsOf = ({ columns }: StoredTable): string =>
  columns.map((name) => pg.escapeIdentifier(name)).join(', ')
export const nameOf = ({ name }: StoredTable): string => `public.${pg.escapeIdentifier(name)}`

/** @throws Error if the table has rows but no pages. Its rows are on other servers then, and the backup would be empty. */
async function pagesOf(connection: pg.ClientBase, table: StoredTable): Promise<number> {
  const { rows } = await connection.query<{ pages: number }>(
    labelled(
      'dump.pagesOf',
      `SELECT ceil(pg_relation_size($1::regclass) / current_setting('block_size')::numeric)::int AS pages`,
    ),
    [nameOf(table)],
  )
  const pages = rows[0]?.pages ?? 0
  if (pages > 0) return pages
  const found = await connection.query(labelled('dump.pagesOf', `SELECT FROM ${nameOf(table)} LIMIT 1`))
  if (found.rows.length === 0) return 0
  throw new Error(`the table ${table.name} has rows on other servers, which a backup of this server would lack`)
}

/**
 * Reads the rows of a table in portions, each a range of pages. Call it in one transaction with a snapshot, so that no
 * row moves to another page meanwhile.
 *
 * @returns the number of rows and their hash, after the portions.
 */
export async function* dumpTable(
  connection: pg.ClientBase,
  table: StoredTable,
  onRow: (row: Buffer) => void = () => {},
): AsyncGenerator<Buffer, TableContent> {
  const sum = new RowSum()
  const total = await pagesOf(connection, table)
  for (let [from, pages] = [0, 16]; from < total;) {
    const portion: Buffer[] = []
    let size = 0
    const range = `ctid >= '(${from},0)'::tid AND ctid < '(${from + pages},0)'::tid`
    const sql = `COPY (SELECT ${columnsOf(table)} FROM ${nameOf(table)} WHERE ${range}) TO STDOUT`
    await copyOut(connection, labelled('dump.dumpTable', sql), (row) => {
      sum.add(row)
      onRow(row)
      portion.push(Buffer.from(row))
      size += row.length
    })
    from += pages
    pages = size > PORTION ? Math.max(1, pages >> 1) : size < PORTION / 2 ? Math.min(pages * 2, MAX_PAGES) : pages
    yield Buffer.concat(portion)
  }
  return sum.content()
}

/** Counts and hashes the rows of a table. @param onRows is called between portions with the number of rows so far. */
export async function contentOfTable(
  connection: pg.ClientBase,
  table: StoredTable,
  onRows: (rows: number) => void,
): Promise<TableContent> {
  let rows = 0
  const portions = dumpTable(connection, table, () => void (rows += 1))
  for (;;) {
    const { done, value } = await portions.next()
    if (done === true) return value
    onRows(rows)
  }
}
