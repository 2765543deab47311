// Values of leaves: scalars and enums.
import type { GraphQLLeafType } from 'graphql'
// Not part of graphql-js's public API: formats values in messages.
import { inspect } from 'graphql/jsutils/inspect.js'
import type { PlannedField } from './plan.ts'
import { isObject } from './value-kind.ts'

/**
 * Returns the value of a field without a resolver, as most fields are. Undefined if it needs the full checks, for
 * example to report an error.
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

/** @throws Error if the value is not valid for the type. */
export function serialized(type: GraphQLLeafType, value: unknown): unknown {
  const found: unknown = type.serialize(value)
  if (found === null || found === undefined) {
    const call = `${inspect(type)}.serialize(${inspect(value)})`
    throw new Error(`Expected \`${call}\` to return non-nullable value, returned: ${inspect(found)}`)
  }
  return found
}
