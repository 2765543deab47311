// SQL statements without Prisma's query engine, which takes longer than most reads. They are named: PostgreSQL parses
// each text once per connection, and keeps its plan.
import { createHash } from 'node:crypto'
import type pg from 'pg'
import type { Prisma, PrismaClient } from './prisma/client.ts'

/**
 * Named statements of one process. Each connection keeps its own copy, of some 10 to 50 KB, until it closes. Texts depend
 * on what callers select and filter by, so their number needs a limit: those beyond it run without a name.
 */
const MAX_NAMED = 300

/** Names by text. */
const names = new Map<string, string>()

/** The name of a statement, the same in all processes. Undefined if too many have names already. */
export function statementName(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= MAX_NAMED) return known
  const name = createHash('sha256').update(text).digest('base64url')
  names.set(text, name)
  return name
}

const pools = new WeakMap<object, pg.Pool>()

/** Lets `runStatement` send the statements of a client over its pool. */
export function connectPool(client: PrismaClient, pool: pg.Pool): void {
  pools.set(client, pool)
}

interface StatementOptions {
  /**
   * True if the best plan depends on the values, as that of a search for a prefix does. Such a statement has no name:
   * a kept plan serves all values. Default: false.
   */
  readonly planEachTime?: boolean
}

/**
 * Runs one statement: on the pool, or in the transaction that `db` is. Use it for reads, and for writes of one statement
 * whose rows are returned with RETURNING. Values need a type in the SQL (`${id}::uuid`).
 *
 * Rows have the same values either way if their columns are `uuid`, `text`, `boolean`, `int`, `timestamptz`, `jsonb`, an
 * enum, or an array of `text` or `uuid`. Cast others, such as `count(*)::int`.
 *
 * @throws an error of node-postgres or, in a transaction, of Prisma. `database-errors.ts` knows both.
 */
export async function runStatement<Row>(
  db: Prisma.TransactionClient,
  sql: Prisma.Sql,
  { planEachTime = false }: StatementOptions = {},
): Promise<Row[]> {
  const pool = pools.get(db)
  if (pool === undefined) return db.$queryRaw<Row[]>(sql)
  const { text, values } = sql
  const name = planEachTime ? undefined : statementName(text)
  // pg's type asks for row types with an index signature, which interfaces do not have.
  const { rows } = await pool.query({ ...(name !== undefined && { name }), text, values })
  return rows as Row[]
}
