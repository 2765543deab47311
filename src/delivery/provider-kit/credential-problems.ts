// The problems of the credentials of an integration, found with the schema of its provider.
import type { z } from 'zod'
import type { SettingProblem } from '../../domain/channel/provider-directory.ts'
import { Refusal } from '../../lib/errors.ts'
import { misspelledNames } from '../../lib/similar-names.ts'
import { type JsonObject, parse } from '../../lib/validation.ts'

/** A setting that only some destinations require. */
export interface Sometimes {
  readonly setting: string
  /** Other settings that serve instead. Default: none. */
  readonly or?: readonly string[]
  /** Completes "is required unless". */
  readonly unless: string
}

/** True for a value that counts as not given. Forms send an empty text for it. */
const isAbsent = (value: unknown) => value === undefined || value === null || value === ''

function issuesOf(schema: z.ZodObject, credentials: JsonObject) {
  try {
    parse(schema, credentials)
    return []
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.issues
  }
}

/** Finds settings that are missing or invalid, and names that are no settings. */
export function problemsOf(
  schema: z.ZodObject,
  credentials: JsonObject,
  sometimes: readonly Sometimes[],
): SettingProblem[] {
  const problems = issuesOf(schema, credentials).map(({ path: [name = ''], message }): SettingProblem => {
    const setting = String(name)
    const code = isAbsent(credentials[setting]) ? 'missing' : 'invalid'
    return { code, setting, message, blocking: true }
  })
  for (const { setting, or = [], unless } of sometimes) {
    if (![setting, ...or].every((name) => isAbsent(credentials[name]))) continue
    problems.push({ code: 'missing', setting, message: `${setting} is required unless ${unless}`, blocking: false })
  }
  const known = Object.keys(schema.shape)
  const given = Object.keys(credentials)
  const absent = known.filter((name) => isAbsent(credentials[name]))
  const meant = new Map(misspelledNames(given, absent).map(({ variable, similarTo }) => [variable, similarTo]))
  for (const setting of given.filter((name) => !known.includes(name))) {
    const name = meant.get(setting)
    const question = name === undefined ? '' : `; did you mean ${name}?`
    const message = `${setting} is not a setting of the provider and has no effect${question}`
    problems.push({ code: 'unknown', setting, message, blocking: false })
  }
  return problems
}
