// Rows that are read together with the list rows that refer to them.
import { Prisma } from '../prisma/client.ts'
import { columnOf } from '../statement/table.ts'

/** A row of another table that every row of a list refers to. */
export interface Joined {
  /** The field of a list row that receives the joined row. */
  readonly as: string
  readonly table: { readonly name: string; readonly fields: readonly string[] }
  /** Columns that must equal columns of the list, in the same environment. */
  readonly on: readonly { readonly field: string; readonly equals: string }[]
}

const joinedName = ({ as }: Joined, field: string) => `${as}.${field}`

/** Adds the joined row to a row that was read with `joinedFields`. */
export function nest(row: object, joined: Joined): void {
  const { as, table } = joined
  const entries = table.fields.map((field): [string, unknown] => [field, Reflect.get(row, joinedName(joined, field))])
  Reflect.set(row, as, Object.fromEntries(entries))
}

/** The select list of the joined row. */
export const joinedFields = (joined: Joined) =>
  Prisma.raw(
    joined.table.fields.map((field) => `joined.${columnOf(field)} AS "${joinedName(joined, field)}"`).join(', '),
  )

/** Joins the table as `joined`. @param environmentId the environment of the list. */
export function joinOf({ table, on }: Joined, environmentId: string): Prisma.Sql {
  const conditions = on.map(({ field, equals }) => `AND joined.${columnOf(field)} = child.${columnOf(equals)}`)
  return Prisma.sql`JOIN ${Prisma.raw(`"${table.name}"`)} AS joined
    ON joined.environment_id = ${environmentId}::uuid ${Prisma.raw(conditions.join(' '))}`
}
