// Rows by the value of a column: one statement for many values, without Prisma's query engine.
import { groupBy } from '../../lib/group-by.ts'
import { type Batch, groupBatch, rowBatch, type Tenant } from './loader.ts'
import { Prisma } from '../prisma/client.ts'
import { runStatement } from '../statement/statement.ts'

/** A table and the columns to read. */
export interface Table<Row> {
  readonly name: string
  /** Prisma's names of the fields. Each is its column's name in camelCase. */
  readonly fields: readonly (keyof Row & string)[]
}

/** A column with text or UUIDs. */
export interface Column<Field extends string> {
  readonly field: Field
  /** Default: `text`. */
  readonly type?: 'text' | 'uuid'
}

type WithField<Field extends string> = Readonly<Record<Field, string | null>>

/** The column of a field. The name must come from the code, never from a caller. */
export const columnOf = (field: string): string =>
  `"${field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`

/** The select list of a table. */
export const selectList = ({ fields }: { readonly fields: readonly string[] }, alias: string): Prisma.Sql =>
  Prisma.raw(fields.map((field) => `${alias}.${columnOf(field)} AS "${field}"`).join(', '))

/** The rows of the tenant's environment with one of these values, in the order of the given fields. */
export function rowsWhere<Field extends string, Row extends WithField<Field>>(
  { db, environmentId }: Tenant,
  table: Table<Row>,
  { field, type = 'text' }: Column<Field>,
  values: readonly string[],
  orderBy: readonly (keyof Row & string)[] = [],
): Promise<Row[]> {
  const order = orderBy.length > 0 ? `ORDER BY ${orderBy.map(columnOf).join(', ')}` : ''
  return runStatement<Row>(
    db,
    Prisma.sql`
      SELECT ${selectList(table, 'child')} FROM ${Prisma.raw(`"${table.name}"`)} AS child
      WHERE environment_id = ${environmentId}::uuid
        AND ${Prisma.raw(columnOf(field))} = ANY (${[...values]}::${Prisma.raw(type)}[]) ${Prisma.raw(order)}`,
  )
}

/**
 * The rows of many keys, in one statement.
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
  const rows = await runStatement<Row & { readonly place: number }>(
    db,
    Prisma.sql`
      SELECT place, ${selectList(table, 'child')}
      FROM jsonb_to_recordset(${JSON.stringify(keys.map((key, place) => ({ ...key, place })))}::jsonb)
        AS given(place int, ${given})
      JOIN ${Prisma.raw(`"${table.name}"`)} AS child ON child.environment_id = ${environmentId}::uuid AND ${match}`,
  )
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
