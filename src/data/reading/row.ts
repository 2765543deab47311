// Rows by the value of a column: one statement for many values, without Prisma's query engine.
import { groupBy } from '../../lib/group-by.ts'
import { type Batch, groupBatch, rowBatch, type Tenant } from './loader.ts'
import { Prisma } from '../prisma/client.ts'
import { sql } from '../statement/statement.ts'
import { columnOf, selectList, type Table } from '../statement/table.ts'

/** A column with text or UUIDs. */
export interface Column<Field extends string> {
  readonly field: Field
  /** Default: `text`. */
  readonly type?: 'text' | 'uuid'
}

type WithField<Field extends string> = Readonly<Record<Field, string | null>>

/** The rows of the tenant's environment with one of these values, in the order of the given fields. */
export function rowsWhere<Field extends string, Row extends WithField<Field>>(
  { db, environmentId }: Tenant,
  table: Table<Row>,
  { field, type = 'text' }: Column<Field>,
  values: readonly string[],
  orderBy: readonly (keyof Row & string)[] = [],
): Promise<Row[]> {
  const order = orderBy.length > 0 ? `ORDER BY ${orderBy.map(columnOf).join(', ')}` : ''
  return sql<Row>(db, `${table.name}.by.${field}`)`
    SELECT ${selectList(table, 'child')} FROM ${Prisma.raw(`"${table.name}"`)} AS child
    WHERE environment_id = ${environmentId}::uuid
      AND ${Prisma.raw(columnOf(field))} = ANY (${[...values]}::${Prisma.raw(type)}[]) ${Prisma.raw(order)}`
}

/**
 * The rows that match many keys, in one statement.
 *
 * @param given the fields of a key and their types in SQL, such as `"contextKeys" text[]`.
 * @param match the condition on `child`, the table, and `given`, the key. It must compare columns of one index.
 * @returns the rows of each key, in the order of the keys.
 */
export async function rowsOfKeys<Row extends object>(
  { db, environmentId }: Tenant,
  table: Table<Row>,
  keys: readonly object[],
  given: Prisma.Sql,
  match: Prisma.Sql,
): Promise<(readonly Row[])[]> {
  const rows = await sql<Row & { readonly place: number }>(db, `${table.name}.byKeys`)`
    SELECT place, ${selectList(table, 'child')}
    FROM jsonb_to_recordset(${JSON.stringify(keys.map((key, place) => ({ ...key, place })))}::jsonb)
      AS given(place int, ${given})
    JOIN ${Prisma.raw(`"${table.name}"`)} AS child ON child.environment_id = ${environmentId}::uuid AND ${match}`
  const byPlace = groupBy(rows, ({ place }) => place)
  return keys.map((_key, place) => byPlace.get(place) ?? [])
}

/** A batch of rows by a unique column; null if there is none. */
export const rowBy = <Field extends string, Row extends WithField<Field>>(
  table: Table<Row>,
  column: Column<Field>,
): Batch<string, Row | null> =>
  rowBatch(
    (tenant, values) => rowsWhere(tenant, table, column, values),
    (row) => row[column.field],
  )

/** A batch of rows by a column, in the order of the given fields. */
export const rowsBy = <Field extends string, Row extends WithField<Field>>(
  table: Table<Row>,
  column: Column<Field>,
  orderBy: readonly (keyof Row & string)[],
): Batch<string, readonly Row[]> =>
  groupBatch(
    (tenant, values) => rowsWhere(tenant, table, column, values, orderBy),
    (row) => row[column.field],
  )
