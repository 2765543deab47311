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

interface Remaining {
  readonly kept: unknown
  readonly warnings: readonly string[]
}

/** @param of what the warnings write before the name of a field. */
function withoutFields(given: unknown, ignored: IgnoredFields, of = ''): Remaining {
  if (typeof given !== 'object' || given === null || !Object.keys(ignored).some((name) => Object.hasOwn(given, name))) {
    return { kept: given, warnings: [] }
  }
  const entries: [string, unknown][] = Object.entries(given)
  return {
    kept: Object.fromEntries(entries.filter(([name]) => !Object.hasOwn(ignored, name))),
    warnings: entries.flatMap(([name, value]) =>
      Object.hasOwn(ignored, name) && value !== null ? `${of}${name} ${String(ignored[name])}` : [],
    ),
  }
}

/** Removes ignored fields from one object or from each of a list. A field of several objects has one warning. */
function withoutFieldsOfEach(given: unknown, ignored: IgnoredFields, of: string): Remaining {
  if (!Array.isArray(given)) return withoutFields(given, ignored, of)
  const parts = given.map((one: unknown) => withoutFields(one, ignored, of))
  return { kept: parts.map(({ kept }) => kept), warnings: [...new Set(parts.flatMap(({ warnings }) => warnings))] }
}

/**
 * Removes ignored fields from an object. Clients send null for what they do not use, which needs no warning.
 *
 * @param within the ignored fields of objects in a field of the object, by the name of that field.
 */
export function withoutIgnored(
  given: unknown,
  ignored: IgnoredFields,
  within: Readonly<Record<string, IgnoredFields>> = {},
): Remaining {
  const { kept, warnings } = withoutFields(given, ignored)
  if (typeof kept !== 'object' || kept === null || Array.isArray(kept)) return { kept, warnings }
  const parts = Object.entries<unknown>({ ...kept }).map(([name, value]) => {
    const fields = Object.hasOwn(within, name) ? within[name] : undefined
    const part = fields ? withoutFieldsOfEach(value, fields, `${name}.`) : { kept: value, warnings: [] }
    return { name, ...part }
  })
  return {
    kept: Object.fromEntries(parts.map(({ name, kept }) => [name, kept])),
    warnings: [...warnings, ...parts.flatMap((part) => part.warnings)],
  }
}
