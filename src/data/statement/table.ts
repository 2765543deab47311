// Tables: their columns, by the names of Prisma's fields, and their rows as parameters of statements.
import { Prisma } from '../prisma/client.ts'

/** A table and its columns. */
export interface Table<Row> {
  readonly name: string
  /** Prisma's names of the fields. Each is its column's name in camelCase. */
  readonly fields: readonly (keyof Row & string)[]
}

/** The columns of fields, because every statement asks for them. */
const columns = new Map<string, string>()

/** The column of a field. The name must come from the code, never from a caller. */
export function columnOf(field: string): string {
  const known = columns.get(field)
  if (known !== undefined) return known
  const column = `"${field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`
  columns.set(field, column)
  return column
}

/** The select list of a table. */
export const selectList = ({ fields }: { readonly fields: readonly string[] }, alias: string): Prisma.Sql =>
  Prisma.raw(fields.map((field) => `${alias}.${columnOf(field)} AS "${field}"`).join(', '))

/** A value to write to a column of JSON or of another type. */
type Value<Stored> = [Prisma.JsonObject] extends [Stored]
  ? Stored | object | null
  : Stored extends readonly (infer Item)[]
    ? readonly Item[]
    : Stored

/**
 * Fields that each row must have: fields that are not nullable, and JSON fields, whose type does not show whether they
 * may be null.
 */
type RequiredField<Row> = {
  [Field in keyof Row]-?: null extends Row[Field] ? ([Prisma.JsonObject] extends [Row[Field]] ? Field : never) : Field
}[keyof Row]

/** Some fields of a row. */
type Part<Row> = { readonly [Field in keyof Row]?: Value<Row[Field]> | undefined }

/** A row to insert. Fields that the statement computes may be left out, and the version, which begins with its default. */
type NewRow<Row, Computed extends keyof Row> = Part<Row> & {
  readonly [Field in Exclude<RequiredField<Row>, Computed | 'version'>]: Value<Row[Field]>
}

/** Rejects fields that the table does not have. */
type Only<Given, Row> = Given & Readonly<Partial<Record<Exclude<keyof Given, keyof Row>, never>>>

/** The rows under the names of their columns, and the fields that any of them has. */
function stored<Row extends object>({ fields }: Table<Row>, rows: readonly Part<Row>[]) {
  const named = fields.map((field) => [field, columnOf(field).slice(1, -1)] as const)
  const found = new Set<keyof Row & string>()
  const records = rows.map((row) => {
    const record: Record<string, unknown> = {}
    for (const [field, column] of named) {
      const value = row[field]
      if (value === undefined) continue
      record[column] = value
      found.add(field)
    }
    return record
  })
  return { json: JSON.stringify(records), found }
}

const recordset = (name: string, json: string) =>
  Prisma.sql`jsonb_populate_recordset(NULL::${Prisma.raw(name)}, ${json}::jsonb)`

/**
 * Rows, or some of their fields, to select from in a statement: with the columns of the table and their types. What a row
 * does not have is null.
 */
export const rowsOf = <Row extends object, Given extends Part<Row>>(
  table: Table<Row>,
  rows: readonly Only<Given, Row>[],
): Prisma.Sql => recordset(table.name, stored(table, rows).json)

/**
 * The beginning of a statement that inserts rows: `INSERT INTO … SELECT … FROM …`. The statement may add what follows
 * the tables of a query, such as conditions and an order, ON CONFLICT and RETURNING. In it, the new row is called
 * `given` and the existing one `stored`. A column that no row has gets its default.
 *
 * @param computed the values in SQL of columns that are computed, or the same in all rows.
 * @param beside a function in SQL whose rows are joined to the given rows in order, for values that are not stored.
 */
export function insertRows<
  Row extends object,
  Computed extends keyof Row & string,
  Given extends NewRow<Row, Computed>,
>(
  table: Table<Row>,
  rows: readonly Only<Given, Row>[],
  computed: Readonly<Record<Computed, Prisma.Sql>>,
  beside?: Prisma.Sql,
): Prisma.Sql {
  const { json, found } = stored(table, rows)
  const values = new Map<string, Prisma.Sql>(Object.entries(computed))
  const fields = table.fields.filter((field) => found.has(field) || values.has(field))
  const given = recordset(table.name, json)
  return Prisma.sql`
    INSERT INTO ${Prisma.raw(table.name)} AS stored (${Prisma.raw(fields.map(columnOf).join(', '))})
    SELECT ${Prisma.join(fields.map((field) => values.get(field) ?? Prisma.raw(`given.${columnOf(field)}`)))}
    FROM ${beside === undefined ? given : Prisma.sql`ROWS FROM (${given}, ${beside})`} AS given`
}

/** The values of columns that are the same in all rows that an operation creates. */
export const createdIn = ({ environmentId }: { readonly environmentId: string }, now: Date) => ({
  environmentId: Prisma.sql`${environmentId}::uuid`,
  createdAt: Prisma.sql`${now}::timestamptz`,
  updatedAt: Prisma.sql`${now}::timestamptz`,
})
