// Fields of filters with several values, beside fields with one.
import { z } from 'zod'

/** The maximum number of values of a field. */
export const MAX_FILTER_VALUES = 50

/** The input schema of a field that matches any of its values. */
export const severalOf = <Value extends z.ZodType>(value: Value) => z.array(value).min(1).max(MAX_FILTER_VALUES)

/**
 * The values that match both a field with one value and a field with several, without duplicates. Undefined fields match
 * everything.
 */
export function valuesOf<Value>(
  one: Value | undefined,
  several: readonly Value[] | undefined,
): readonly Value[] | undefined {
  if (several === undefined) return one === undefined ? undefined : [one]
  return [...new Set(several)].filter((value) => one === undefined || value === one)
}
