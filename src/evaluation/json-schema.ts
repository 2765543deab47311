// JSON Schemas from callers: validation of the schema, and of values against it. Time limits: time-limit.ts.
import type { DefinedError, ErrorObject } from 'ajv'
import type { Issue, Path } from '../lib/errors.ts'
import { type Json, type JsonObject, jsonObject } from '../lib/validation.ts'
import { dialectOf, knownDialects, metaSchemas, SlowPattern, tryToCompile, validatorOf } from './schema-compiler.ts'
import { mapKeywords, valueKeywords } from './schema-keywords.ts'
import { misplacedSecret } from './secret-fields.ts'

export const MAX_SCHEMA_BYTES = 64 * 1024
const MAX_SCHEMA_DEPTH = 32
/** Maximum size of a value with the defaults of its schema, in bytes of JSON. A default may be added many times. */
export const MAX_COMPLETED_BYTES = 512 * 1024
/** Maximum number of violations reported for one value. */
export const MAX_VIOLATIONS = 20

const reasonOf = (error: unknown) => (error instanceof Error ? error.message.slice(0, 200) : 'it failed')

/** Returns why a keyword is not allowed, if it refers to other schemas or allows others to refer to this one. */
function keywordObjection(keyword: string, value: Json, isOutermost: boolean): string | undefined {
  if (/^\$(dynamic|recursive)?Ref$/i.test(keyword) && typeof value === 'string' && !value.startsWith('#')) {
    return 'must refer to a part of the same schema, such as "#/$defs/address"'
  }
  if (keyword === '$id' && typeof value === 'string' && !isOutermost) return 'is allowed in the outermost schema only'
  return keyword === '$async' ? 'is not allowed' : undefined
}

/** Returns the first keyword that is not allowed. @param isMap true if the keys of `part` are names and not keywords. */
function outsideReference(part: Json, path: Path, isMap = false): Issue | undefined {
  if (typeof part !== 'object' || part === null) return undefined
  for (const [key, value] of Object.entries(part)) {
    if (!isMap && valueKeywords.has(key)) continue
    const inside = [...path, Array.isArray(part) ? Number(key) : key]
    const message = isMap ? undefined : keywordObjection(key, value, path.length === 0)
    if (message !== undefined) return { path: inside, message }
    const found = outsideReference(value, inside, !isMap && mapKeywords.has(key))
    if (found) return found
  }
  return undefined
}

/** Returns the path of a JSON pointer in `value`. List positions are numbers. */
function pathOf(pointer: string, value: unknown): Path {
  const path: (string | number)[] = []
  let here = value
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    path.push(Array.isArray(here) ? Number(key) : key)
    here = typeof here === 'object' && here !== null ? (Reflect.get(here, key) as unknown) : undefined
  }
  return path
}

const listed = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join(', ')

const typeNames = (types: unknown) =>
  (Array.isArray(types) ? types : [types])
    .map((type) => (type === 'null' ? 'null' : `${/^[aio]/.test(String(type)) ? 'an' : 'a'} ${String(type)}`))
    .join(' or ')

const wordsOf = ({ message }: ErrorObject) => message?.replaceAll('NOT', 'not') ?? 'is not allowed'

/** Returns the finding of an ajv error: the path of the field and a plain message. */
function findingOf(found: ErrorObject, value: unknown): Issue {
  const path = pathOf(found.instancePath, value)
  // Only ajv's own keywords, because none are added here.
  const error = found as DefinedError
  if (error.propertyName !== undefined) {
    return { path: [...path, error.propertyName], message: `has a name that ${wordsOf(error)}` }
  }
  switch (error.keyword) {
    case 'required':
    case 'dependentRequired':
      return { path: [...path, error.params.missingProperty], message: 'is required' }
    case 'additionalProperties':
      return { path: [...path, error.params.additionalProperty], message: 'is not allowed' }
    case 'unevaluatedProperties':
      return { path: [...path, error.params.unevaluatedProperty], message: 'is not allowed' }
    case 'type':
      return { path, message: `must be ${typeNames(error.params.type)}` }
    case 'enum':
      return { path, message: `must be one of ${listed(error.params.allowedValues)}` }
    case 'const':
      return { path, message: `must be ${JSON.stringify(error.params.allowedValue)}` }
    default:
      return { path, message: wordsOf(error) }
  }
}

/** Keywords that only repeat errors of nested parts, if there are any such errors. */
const echoes: ReadonlySet<string> = new Set(['if', 'anyOf', 'oneOf', 'propertyNames'])

const isEcho = (error: ErrorObject, errors: readonly ErrorObject[]) =>
  echoes.has(error.keyword) &&
  errors.some(({ keyword, instancePath }) => !echoes.has(keyword) && instancePath.startsWith(error.instancePath))

function findings(errors: readonly ErrorObject[], value: unknown): readonly Issue[] {
  const unique = new Map<string, Issue>()
  for (const error of errors) {
    if (isEcho(error, errors)) continue
    const found = findingOf(error, value)
    unique.set(JSON.stringify(found), found)
    if (unique.size === MAX_VIOLATIONS) break
  }
  return [...unique.values()]
}

/** Returns the path of the first keyword or property name that is this pattern. */
function pathOfPattern(part: Json, pattern: string, path: Path = []): Path | undefined {
  if (typeof part !== 'object' || part === null) return undefined
  for (const [key, value] of Object.entries(part)) {
    const inside = [...path, Array.isArray(part) ? Number(key) : key]
    if (key === pattern || (key === 'pattern' && value === pattern)) return inside
    const found = pathOfPattern(value, pattern, inside)
    if (found) return found
  }
  return undefined
}

/** Returns why a schema could not be compiled. */
function compileObjection(schema: JsonObject, error: unknown): Issue {
  if (!(error instanceof SlowPattern)) return { path: [], message: `cannot be used: ${reasonOf(error)}` }
  const { pattern } = error
  const path = pathOfPattern(schema, pattern) ?? []
  try {
    RegExp(pattern, 'u')
  } catch (invalid) {
    return { path, message: `is not a valid pattern: ${reasonOf(invalid)}` }
  }
  const reason = reasonOf(error).replace(/^error parsing regexp: /, '')
  return { path, message: `must be a pattern without lookaround and backreferences: ${reason}` }
}

/** Returns why a schema cannot be used. Empty if it can. Paths are relative to the schema. */
export function schemaObjections(schema: JsonObject): readonly Issue[] {
  const invalid = findings(metaSchemas.errorsOf(schema), schema)
  if (invalid.length > 0) return invalid
  try {
    tryToCompile(schema)
    return []
  } catch (error) {
    return [compileObjection(schema, error)]
  }
}

/**
 * The input schema of a JSON Schema: draft 2020-12, or draft-07 if `$schema` says so; at most 64 KiB and 32 levels
 * deep, without references to other schemas. `schemaObjections` checks whether it can be used.
 */
export const jsonSchema = jsonObject({ maxBytes: MAX_SCHEMA_BYTES, maxDepth: MAX_SCHEMA_DEPTH }).check(
  ({ value, issues }) => {
    // The schema was already rejected, and may be too deep to walk.
    if (issues.length > 0) return
    const found =
      dialectOf(value) === undefined
        ? { path: ['$schema'], message: `must be absent or one of ${listed(knownDialects)}` }
        : (outsideReference(value, []) ?? misplacedSecret(value))
    if (found) issues.push({ code: 'custom', message: found.message, path: [...found.path], input: value })
  },
)

export interface Validated {
  /** At most `MAX_VIOLATIONS`. Paths are relative to the value. */
  readonly violations: readonly Issue[]
  /** A valid value with the defaults of the schema. Absent if the schema has none. */
  readonly completed?: Json
}

/**
 * Validates a value against a valid schema. Absent properties have their `default` before the check. The value itself
 * stays as it is.
 *
 * @throws Error if the schema cannot be compiled, or refers to itself endlessly.
 */
export function validated(schema: JsonObject, value: Json): Validated {
  const { validate, hasDefaults } = validatorOf(schema)
  const completed = hasDefaults ? structuredClone(value) : value
  if (!validate(completed)) return { violations: findings(validate.errors ?? [], completed) }
  if (!hasDefaults) return { violations: [] }
  const size = Buffer.byteLength(JSON.stringify(completed))
  if (size <= MAX_COMPLETED_BYTES) return { violations: [], completed }
  const message = `must be at most ${MAX_COMPLETED_BYTES} bytes of JSON with the defaults of its schema, and has ${size}`
  return { violations: [{ path: [], message }] }
}
