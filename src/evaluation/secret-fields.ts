// The secret fields of a payload schema: properties and items with the keyword `writeOnly`, which JSON Schema has for values
// that are never returned. Searching them takes linear time.
import type { Issue, Path } from '../lib/errors.ts'
import type { Json } from '../lib/validation.ts'
import { mapKeywords, valueKeywords } from './schema-keywords.ts'

/** What stands for a secret value wherever the value itself must not appear. */
export const MASK = '••••••'

/** Where the secret values of a value are. */
export interface SecretFields {
  /** True if the value itself is secret. */
  readonly isSecret: boolean
  /** The properties that are secret or have secret parts. */
  readonly properties: ReadonlyMap<string, SecretFields>
  /** Present if the items of a list are secret or have secret parts. */
  readonly items?: SecretFields | undefined
}

const isSecret = (schema: object) => 'writeOnly' in schema && schema.writeOnly === true

const isObject = (value: Json | undefined): value is { [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the secret fields of a schema. Undefined if it has none. */
export function secretFieldsOf(schema: Json | undefined): SecretFields | undefined {
  if (!isObject(schema)) return undefined
  if (isSecret(schema)) return { isSecret: true, properties: new Map() }
  const { properties, items } = schema
  const found = new Map<string, SecretFields>()
  for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
    const fields = secretFieldsOf(property)
    if (fields) found.set(name, fields)
  }
  const ofItems = secretFieldsOf(items)
  return found.size > 0 || ofItems ? { isSecret: false, properties: found, items: ofItems } : undefined
}

/**
 * Returns the first `writeOnly` that would have no effect, because another part of the schema than `properties` or `items` leads
 * to it: such parts apply to some values only. Undefined if there is none.
 *
 * @param isReached true if only `properties` and `items` lead to this part. @param isMap true if the keys of `part` are names and
 *   not keywords.
 */
export function misplacedSecret(part: Json, path: Path = [], isReached = true, isMap = false): Issue | undefined {
  if (typeof part !== 'object' || part === null) return undefined
  if (!isMap && isSecret(part) && (path.length === 0 || !isReached)) {
    const message =
      'is possible for properties and items only, without $ref, allOf, anyOf and other keywords around them'
    return { path: [...path, 'writeOnly'], message }
  }
  for (const [key, value] of Object.entries(part)) {
    if (!isMap && valueKeywords.has(key)) continue
    const inside = [...path, Array.isArray(part) ? Number(key) : key]
    const isNext = isMap || key === 'properties' || (key === 'items' && !Array.isArray(value))
    const found = misplacedSecret(value, inside, isReached && isNext, !isMap && mapKeywords.has(key))
    if (found) return found
  }
  return undefined
}
