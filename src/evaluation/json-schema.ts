// JSON Schemas from callers: validation of the schema, and of values against it. Time limits: time-limit.ts.
import { Ajv, type DefinedError, type ErrorObject, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'
import type { Issue, Path } from '../lib/errors.ts'
import { type Json, type JsonObject, jsonObject } from '../lib/validation.ts'

export const MAX_SCHEMA_BYTES = 64 * 1024
const MAX_SCHEMA_DEPTH = 32
/** Maximum number of violations reported for one value. */
export const MAX_VIOLATIONS = 20
/** Memory of cached validators, in bytes. */
const CACHE_BYTES = 8 * 1024 * 1024
/** Bytes that a validator takes for each character of its schema, roughly. */
const COMPILED_BYTES = 40

const reasonOf = (error: unknown) => (error instanceof Error ? error.message.slice(0, 200) : 'it failed')

/** Returns the linear-time form of a pattern. @throws Error if it needs more, such as a lookahead. */
const linear = (pattern: string) => RE2JS.compile(RE2JS.translateRegExp(pattern))

/**
 * The patterns of a schema. New schemas have linear ones only; those that were stored before may have others, which run
 * as JavaScript does.
 */
const regExp = Object.assign(
  (pattern: string, flags: string) => {
    try {
      return linear(pattern)
    } catch {
      return new RegExp(pattern, flags)
    }
  },
  { code: 'patternOf' },
)

const options = {
  allErrors: true,
  // The standard allows unknown keywords.
  strict: false,
  logger: false,
  // Inherited properties do not count.
  ownProperties: true,
  // Compiles a part once, however often it is referenced.
  inlineRefs: false,
  code: { regExp },
} as const

const formats = 'default' in addFormats ? addFormats.default : addFormats

const latest = formats(new Ajv2020(options))
const draft7 = formats(new Ajv(options))

const dialects: Readonly<Record<string, typeof latest>> = {
  'https://json-schema.org/draft/2020-12/schema': latest,
  'http://json-schema.org/draft-07/schema': draft7,
}

const dialectOf = ({ $schema = 'https://json-schema.org/draft/2020-12/schema' }: JsonObject) =>
  typeof $schema === 'string' ? dialects[$schema.replace(/#$/, '')] : undefined

/** Keywords whose values are not schemas and may contain anything. */
const valueKeywords: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples'])

/** Returns the first keyword that refers to other schemas, or makes this one referable. Not allowed. */
function outsideReference(part: Json, path: Path): Issue | undefined {
  if (typeof part !== 'object' || part === null) return undefined
  for (const [key, value] of Object.entries(part)) {
    const inside = [...path, Array.isArray(part) ? Number(key) : key]
    if (/^\$(dynamic|recursive)?Ref$/i.test(key) && typeof value === 'string' && !value.startsWith('#')) {
      return { path: inside, message: 'must refer to a part of the same schema, such as "#/$defs/address"' }
    }
    if (key === '$id' && typeof value === 'string' && path.length > 0) {
      return { path: inside, message: 'is allowed in the outermost schema only' }
    }
    if (key === '$async') return { path: inside, message: 'is not allowed' }
    const found = valueKeywords.has(key) ? undefined : outsideReference(value, inside)
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
  // Only ajv's own keywords: none are added here.
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

/** Keywords that only repeat errors of nested parts, if there are any. */
const echoes: ReadonlySet<string> = new Set(['if', 'anyOf', 'oneOf', 'propertyNames'])

const isEcho = (error: ErrorObject, errors: readonly ErrorObject[]) =>
  echoes.has(error.keyword) &&
  errors.some(({ keyword, instancePath }) => !echoes.has(keyword) && instancePath.startsWith(error.instancePath))

function findings(errors: readonly ErrorObject[] | null | undefined, value: unknown): readonly Issue[] {
  const unique = new Map<string, Issue>()
  for (const error of errors ?? []) {
    if (isEcho(error, errors ?? [])) continue
    const found = findingOf(error, value)
    unique.set(JSON.stringify(found), found)
    if (unique.size === MAX_VIOLATIONS) break
  }
  return [...unique.values()]
}

function compile(schema: JsonObject): ValidateFunction {
  const dialect = dialectOf(schema) ?? latest
  // Without its id: ajv would take the next schema with the same id for this one.
  const { $id: _id, ...nameless } = schema
  try {
    return dialect.compile(nameless)
  } finally {
    // Our cache is bounded, ajv's is not.
    dialect.removeSchema(nameless)
  }
}

/** Validators by the JSON of their schema. */
const validators = new LRUCache<string, ValidateFunction, JsonObject>({
  maxSize: CACHE_BYTES,
  sizeCalculation: (_validator, text) => text.length * COMPILED_BYTES,
  memoMethod: (_text, _stale, { context }) => compile(context),
})

/** @throws Error if the schema is invalid. */
function validatorOf(schema: JsonObject): ValidateFunction {
  return validators.memo(JSON.stringify(schema), { context: schema })
}

/** Returns why a pattern is not allowed, or undefined if it is. */
function patternObjection(pattern: string): string | undefined {
  try {
    RegExp(pattern, 'u')
  } catch (error) {
    return `is not a valid pattern: ${reasonOf(error)}`
  }
  try {
    linear(pattern)
    return undefined
  } catch (error) {
    const reason = reasonOf(error).replace(/^error parsing regexp: /, '')
    return `must be a pattern without lookaround and backreferences: ${reason}`
  }
}

/** Keywords whose values are schemas by name. */
const mapKeywords: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
])

/** Returns the first pattern of a schema that is not linear. */
function slowPattern(part: Json, path: Path, isMap = false): Issue | undefined {
  if (typeof part !== 'object' || part === null) return undefined
  for (const [key, value] of Object.entries(part)) {
    const inside = [...path, Array.isArray(part) ? Number(key) : key]
    if (!isMap && valueKeywords.has(key)) continue
    const objection = !isMap && key === 'pattern' && typeof value === 'string' ? patternObjection(value) : undefined
    if (objection !== undefined) return { path: inside, message: objection }
    const patterns = !isMap && key === 'patternProperties' && typeof value === 'object' ? Object.keys(value ?? {}) : []
    for (const pattern of patterns) {
      const message = patternObjection(pattern)
      if (message !== undefined) return { path: [...inside, pattern], message }
    }
    const found = slowPattern(value, inside, !isMap && mapKeywords.has(key))
    if (found) return found
  }
  return undefined
}

/** Returns why a schema cannot be used. Empty if it can. Paths start in the schema. */
export function schemaObjections(schema: JsonObject): readonly Issue[] {
  const dialect = dialectOf(schema) ?? latest
  if (dialect.validateSchema(schema) !== true) return findings(dialect.errors, schema)
  const slow = slowPattern(schema, [])
  if (slow) return [slow]
  try {
    validatorOf(schema)
    return []
  } catch (error) {
    return [{ path: [], message: `cannot be used: ${reasonOf(error)}` }]
  }
}

/**
 * The input schema of a JSON Schema: draft 2020-12, or draft-07 if `$schema` says so; at most 64 KiB and 32 levels deep,
 * without references to other schemas. Whether it can be used is checked by `schemaObjections`.
 */
export const jsonSchema = jsonObject({ maxBytes: MAX_SCHEMA_BYTES, maxDepth: MAX_SCHEMA_DEPTH }).check(
  ({ value, issues }) => {
    // Already rejected, and possibly too deep to walk.
    if (issues.length > 0) return
    const found =
      dialectOf(value) === undefined
        ? { path: ['$schema'], message: `must be absent or one of ${listed(Object.keys(dialects))}` }
        : outsideReference(value, [])
    if (found) issues.push({ code: 'custom', message: found.message, path: [...found.path], input: value })
  },
)

/**
 * Returns the violations of a valid schema by `value`: at most `MAX_VIOLATIONS`. Paths start in the value.
 *
 * @throws Error if the schema cannot be compiled, or refers to itself endlessly.
 */
export function violations(schema: JsonObject, value: Json): readonly Issue[] {
  const validate = validatorOf(schema)
  return validate(value) ? [] : findings(validate.errors, value)
}
