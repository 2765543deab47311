// SQL statements without Prisma's query engine, which takes longer than most reads. They are named: PostgreSQL parses
// each text once per connection, and keeps its plan.
import type pg from 'pg'
import { Prisma, type PrismaClient } from '../prisma/client.ts'
import { rowTypes } from './row-types.ts'
import {
  PLAN_FOR_ANY_VALUES,
  PLAN_FOR_THESE_VALUES,
  PLANNED_EACH_TIME,
  type StatementNames,
} from './statement-names.ts'

/** A pool, and the names of the statements on its connections. */
export interface NamedPool {
  readonly pool: pg.Pool
  readonly names: StatementNames
  /** False behind a pooler: what a statement sets would stay for others. */
  readonly hasSessions: boolean
}

const pools = new WeakMap<object, NamedPool>()

/** Lets `runStatement` send the statements of a client over its pool. */
export function connectPool(client: PrismaClient, named: NamedPool): void {
  pools.set(client, named)
}

/** True if a connection is a transaction. */
export const isTransaction = (db: Prisma.TransactionClient): boolean => !pools.has(db)

/** Part of a statement without a name. */
export const plannedEachTime = Prisma.raw(PLANNED_EACH_TIME)

/**
 * A LIMIT in the text of a statement. For one that is passed as a value, PostgreSQL plans for a tenth of all rows. Each
 * number makes a statement of its own, so use few.
 */
export const limitTo = (count: number): Prisma.Sql => Prisma.raw(`LIMIT ${count}`)

interface StatementOptions {
  /**
   * True if the best plan depends on the values, as that of a search does. A statement in a transaction is planned for any
   * values all the same. Default: false.
   */
  readonly planForValues?: boolean
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
  { planForValues = false }: StatementOptions = {},
): Promise<Row[]> {
  const named = pools.get(db)
  if (named === undefined) return db.$queryRaw<Row[]>(sql)
  const { text, values } = sql
  const name = named.names.of(text)
  // pg's type asks for row types with an index signature, which interfaces do not have.
  const { rows } = planForValues
    ? await runForValues(named, { text, values, types: rowTypes })
    : await named.pool.query({ ...(name !== undefined && { name }), text, values, types: rowTypes })
  return rows as Row[]
}

async function runForValues({ pool, hasSessions }: NamedPool, statement: pg.QueryConfig): Promise<pg.QueryResult> {
  // Without a name and a setting for all statements, PostgreSQL plans for the values anyway.
  if (!hasSessions) return pool.query(statement)
  const connection = await pool.connect()
  try {
    await connection.query(PLAN_FOR_THESE_VALUES)
    const result = await connection.query(statement)
    await connection.query(PLAN_FOR_ANY_VALUES)
    connection.release()
    return result
  } catch (error) {
    // Closed, because it may still plan for the values.
    connection.release(true)
    throw error
  }
}
