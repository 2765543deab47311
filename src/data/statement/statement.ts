// SQL statements without Prisma's query engine, which takes longer than most reads. They are named, so that PostgreSQL
// parses each text once per connection and keeps its plan.
import type pg from 'pg'
import { Prisma, type PrismaClient } from '../prisma/client.ts'
import { labelled } from './label.ts'
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
  /** False behind a pooler, where a statement's settings would remain for other clients. */
  readonly hasSessions: boolean
}

const pools = new WeakMap<object, NamedPool>()

/** Lets `sql` send the statements of a client over its pool. */
export function connectPool(client: PrismaClient, named: NamedPool): void {
  pools.set(client, named)
}

/** True if a connection is a transaction. */
export const isTransaction = (db: Prisma.TransactionClient): boolean => !pools.has(db)

/** A part for statements that must not be named. */
export const plannedEachTime = Prisma.raw(PLANNED_EACH_TIME)

/**
 * A LIMIT in the text of a statement. If it were passed as a value, PostgreSQL would plan for a tenth of all rows. Each
 * number makes a separate statement, so use few.
 */
export const limitTo = (count: number): Prisma.Sql => Prisma.raw(`LIMIT ${count}`)

interface StatementOptions {
  /** True if the best plan depends on the values, as for a search. Has no effect in a transaction. Default: false. */
  readonly planForValues?: boolean
}

/** A statement as a tagged template: `sql(db, 'topic.subscribers')` precedes the text. */
type Template<Result> = (strings: TemplateStringsArray, ...values: unknown[]) => Promise<Result>

const statementOf = (label: string, [first = '', ...others]: TemplateStringsArray, values: readonly unknown[]) =>
  new Prisma.Sql([labelled(label, first), ...others], values)

/**
 * Runs one statement that returns rows: on the pool, or in the transaction that `db` is. Use it for reads, and for
 * writes of one statement whose rows are returned with RETURNING. Values need a type in the SQL (`${id}::uuid`).
 *
 * Rows have the same values either way if their columns are `uuid`, `text`, `boolean`, `int`, `timestamptz`, `jsonb`,
 * an enum, or an array of `text` or `uuid`. Cast others, such as `count(*)::int`.
 *
 * @param label the file and function of the statement, such as `topic-subscription.subscriptionPage`.
 * @throws an error of node-postgres or, in a transaction, of Prisma. `database-errors.ts` knows both.
 */
export const sql =
  <Row>(db: Prisma.TransactionClient, label: string, options: StatementOptions = {}): Template<Row[]> =>
  (strings, ...values) =>
    run<Row>(db, statementOf(label, strings, values), options)

/** Runs one statement that returns no rows, as `sql` does. @returns the number of rows that it wrote. */
export const sqlCount =
  (db: Prisma.TransactionClient, label: string): Template<number> =>
  (strings, ...values) =>
    db.$executeRaw(statementOf(label, strings, values))

async function run<Row>(
  db: Prisma.TransactionClient,
  statement: Prisma.Sql,
  { planForValues = false }: StatementOptions,
): Promise<Row[]> {
  const named = pools.get(db)
  if (named === undefined) return db.$queryRaw<Row[]>(statement)
  const { text, values } = statement
  const name = named.names.of(text)
  // pg's type requires row types with an index signature, which interfaces do not have.
  const { rows } = planForValues
    ? await runForValues(named, { text, values, types: rowTypes })
    : await named.pool.query({ ...(name !== undefined && { name }), text, values, types: rowTypes })
  return rows as Row[]
}

async function runForValues({ pool, hasSessions }: NamedPool, statement: pg.QueryConfig): Promise<pg.QueryResult> {
  // A statement without a name is planned for its values anyway, unless a setting says otherwise.
  if (!hasSessions) return pool.query(statement)
  const connection = await pool.connect()
  try {
    await connection.query(PLAN_FOR_THESE_VALUES)
    const result = await connection.query(statement)
    await connection.query(PLAN_FOR_ANY_VALUES)
    connection.release()
    return result
  } catch (error) {
    // Closed, because it may keep planning for the values.
    connection.release(true)
    throw error
  }
}
