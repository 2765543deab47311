// Merges JSON: objects deeply, while lists and single values replace what was there.
import type { Json, JsonObject } from '../../lib/validation.ts'

/** True for a JSON object, which a list is not. */
export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns an object with another one merged over it. Neither is changed. */
export function merged(base: object, over: JsonObject): Readonly<Record<string, unknown>> {
  const result = new Map<string, unknown>(Object.entries(base))
  for (const [name, value] of Object.entries(over)) {
    const before = result.get(name)
    result.set(name, isJsonObject(value) && isObject(before) ? merged(before, value) : value)
  }
  return Object.fromEntries(result)
}
