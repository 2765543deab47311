// SQL statements without Prisma's query engine, which takes longer than most reads. They are named: PostgreSQL parses
// each text once per connection, and keeps its plan.
import type pg from 'pg'
import { Prisma, type PrismaClient } from './prisma/client.ts'
import { PLANNED_EACH_TIME, type StatementNames } from './statement-names.ts'

interface NamedPool {
  readonly pool: pg.Pool
  readonly names: StatementNames
}

const pools = new WeakMap<object, NamedPool>()

/** Lets `runStatement` send the statements of a client over its pool. */
export function connectPool(client: PrismaClient, named: NamedPool): void {
  pools.set(client, named)
}

/** Part of a statement without a name. */
export const plannedEachTime = Prisma.raw(PLANNED_EACH_TIME)

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
  const named = pools.get(db)
  const statement = planEachTime ? Prisma.sql`${plannedEachTime} ${sql}` : sql
  if (named === undefined) return db.$queryRaw<Row[]>(statement)
  const { text, values } = statement
  const name = named.names.of(text)
  // pg's type asks for row types with an index signature, which interfaces do not have.
  const { rows } = await named.pool.query({ ...(name !== undefined && { name }), text, values })
  return rows as Row[]
}
