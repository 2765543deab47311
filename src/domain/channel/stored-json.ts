// JSON columns, read as the types with which they were written.
import type { Prisma } from '../../data/prisma/client.ts'
import type { JsonObject } from '../../lib/validation.ts'

/** The gateway only writes validated values to these columns, so it is enough to check that a value exists. */
const isStored = <Value extends object>(stored: Prisma.JsonValue): stored is Prisma.JsonValue & Value =>
  typeof stored === 'object' && stored !== null

type Read<Value> = (stored: Prisma.JsonValue) => Value

/**
 * Returns a function that reads a JSON column as the type with which it was written. Does not validate the value again,
 * which would cost more than the statement that reads it.
 */
export const jsonColumn =
  <Value extends object>(): Read<Value> =>
  (stored) => {
    if (!isStored<Value>(stored)) throw new TypeError('the JSON column is empty')
    return stored
  }

/** A column that holds a JSON object. */
export const asObject = jsonColumn<JsonObject>()

/** A column that holds a JSON-logic condition, or null. */
export const conditionOf = (stored: Prisma.JsonValue): JsonObject | null => (stored === null ? null : asObject(stored))
