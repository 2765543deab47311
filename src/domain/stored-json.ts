// JSON columns, read back as the types they were written with.
import type { Prisma } from '../data/prisma/client.ts'
import { type JsonObject, jsonObject } from '../lib/validation.ts'

/** A column that holds a JSON object. */
export function asObject(stored: Prisma.JsonValue): JsonObject {
  return jsonObject({ maxBytes: Infinity }).parse(stored)
}

/** A column that holds a JSON-logic condition. Null when there is none. */
export const conditionOf = (stored: Prisma.JsonValue) => (stored === null ? null : asObject(stored))
