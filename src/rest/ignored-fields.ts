// Fields that published clients send and that have no effect here. They are accepted, and the response warns of them.
import { z } from 'zod'

/** By the name of the field: a sentence, without the name, that says what to do instead. */
export type IgnoredFields = Readonly<Record<string, string>>

/** The schema of the warnings in a response. */
export const warningsView = z
  .array(z.string())
  .optional()
  .meta({ description: 'What the request contains that has no effect. Absent if everything has.' })

/** Returns the field `warnings` of a response, unless there is nothing to warn of. */
export const asWarnings = (warnings: readonly string[]): { warnings?: string[] } =>
  warnings.length > 0 ? { warnings: [...warnings] } : {}

/** Removes ignored fields from an object. Clients send null for what they do not use, which needs no warning. */
export function withoutIgnored(
  given: unknown,
  ignored: IgnoredFields,
): { readonly kept: unknown; readonly warnings: readonly string[] } {
  if (typeof given !== 'object' || given === null || !Object.keys(ignored).some((name) => Object.hasOwn(given, name))) {
    return { kept: given, warnings: [] }
  }
  const entries: [string, unknown][] = Object.entries(given)
  return {
    kept: Object.fromEntries(entries.filter(([name]) => !Object.hasOwn(ignored, name))),
    warnings: entries.flatMap(([name, value]) =>
      Object.hasOwn(ignored, name) && value !== null ? `${name} ${String(ignored[name])}` : [],
    ),
  }
}
