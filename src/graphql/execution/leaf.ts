// Values of leaves: scalars and enums.
import type { GraphQLLeafType } from 'graphql'
// Not public: the text of a value in messages.
import { inspect } from 'graphql/jsutils/inspect.js'
import type { PlannedField } from './plan.ts'
import { isObject } from './value-kind.ts'

/**
 * The value of most fields, for which an object has a value of its own. Undefined if there may be more to it, such as an
 * error.
 */
export function leafOf({ definition, type }: PlannedField, source: unknown): unknown {
  if (definition.resolve !== undefined || type.kind !== 'leaf' || !isObject(source)) return undefined
  const value = source[definition.name]
  if (value === null && type.isNullable) return null
  if (typeof value !== 'string' && !(value instanceof Date)) return undefined
  try {
    return type.type.serialize(value)
  } catch {
    return undefined
  }
}

/** @throws Error if the type has no such value. */
export function serialized(type: GraphQLLeafType, value: unknown): unknown {
  const found: unknown = type.serialize(value)
  if (found === null || found === undefined) {
    const call = `${inspect(type)}.serialize(${inspect(value)})`
    throw new Error(`Expected \`${call}\` to return non-nullable value, returned: ${inspect(found)}`)
  }
  return found
}
