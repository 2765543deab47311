// JSON Schemas from callers: validation of the schema, and of values against it.
import { Ajv, type DefinedError, type ErrorObject, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { LRUCache } from 'lru-cache'
import type { Issue, Path } from './errors.ts'
import { valueAt } from './paths.ts'
import { within } from './time-limit.ts'
import { fieldName, type Json, type JsonObject, jsonObject, showable } from './validation.ts'

export const MAX_SCHEMA_BYTES = 64 * 1024
const MAX_SCHEMA_DEPTH = 32
/** Maximum number of violations reported for one value. */
export const MAX_VIOLATIONS = 20
/** Total length of the schemas whose compiled validators are cached. */
const CACHED_CHARACTERS = 1_000_000
const COMPILE_MILLISECONDS = 2000
const RUN_MILLISECONDS = 500

const options = {
  allErrors: true,
  // The standard allows unknown keywords.
  strict: false,
  logger: false,
  // Inherited properties do not count.
  ownProperties: true,
  // Compiles a part once, however often it is referenced.
  inlineRefs: false,
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

const reasonOf = (error: unknown) => (error instanceof Error ? error.message.slice(0, 200) : 'it failed')

function compile(schema: JsonObject): ValidateFunction {
  const dialect = dialectOf(schema) ?? latest
  // Without its id: ajv would take the next schema with the same id for this one.
  const { $id: _id, ...nameless } = schema
  try {
    return within(COMPILE_MILLISECONDS, () => dialect.compile(nameless))
  } finally {
    // Our cache is bounded, ajv's is not.
    dialect.removeSchema(nameless)
  }
}

/** Validators by the JSON of their schema. */
const validators = new LRUCache<string, ValidateFunction, JsonObject>({
  maxSize: CACHED_CHARACTERS,
  sizeCalculation: (_validator, text) => text.length,
  memoMethod: (_text, _stale, { context }) => compile(context),
})

/** @throws Error if the schema is invalid. */
function validatorOf(schema: JsonObject): ValidateFunction {
  return validators.memo(JSON.stringify(schema), { context: schema })
}

/** Returns why a JSON object is not an allowed schema. Empty if it is. */
function objections(schema: JsonObject): readonly Issue[] {
  const dialect = dialectOf(schema)
  if (dialect === undefined) {
    return [{ path: ['$schema'], message: `must be absent or one of ${listed(Object.keys(dialects))}` }]
  }
  const found = outsideReference(schema, [])
  if (found) return [found]
  if (dialect.validateSchema(schema) !== true) return findings(dialect.errors, schema)
  try {
    validatorOf(schema)
    return []
  } catch (error) {
    return [{ path: [], message: `cannot be used: ${reasonOf(error)}` }]
  }
}

/**
 * The input schema of a JSON Schema: draft 2020-12, or draft-07 if `$schema` says so; at most 64 KiB and 32 levels deep,
 * without references to other schemas.
 */
export const jsonSchema = jsonObject({ maxBytes: MAX_SCHEMA_BYTES, maxDepth: MAX_SCHEMA_DEPTH }).check(
  ({ value, issues }) => {
    // Already rejected, and possibly too deep to walk.
    if (issues.length > 0) return
    for (const { path, message } of objections(value)) {
      issues.push({ code: 'custom', message, path: [...path], input: value })
    }
  },
)

/**
 * Returns the violations of a valid schema by `value`: at most `MAX_VIOLATIONS`.
 *
 * @param at Path of the value in the caller's input. Paths and messages start with it.
 */
export function violations(schema: JsonObject, value: Json, at: Path = []): readonly Issue[] {
  const issue = ({ path, message }: Issue): Issue => {
    const offending = valueAt(value, path)
    const whole = [...at, ...path]
    return {
      path: whole,
      message: `${fieldName(whole)} ${message}`.trimStart(),
      ...(showable(offending) && { value: offending }),
    }
  }
  try {
    const validate = validatorOf(schema)
    return within(RUN_MILLISECONDS, () => (validate(value) ? [] : findings(validate.errors, value))).map(issue)
  } catch (error) {
    // The schema refers to itself endlessly, or a pattern exceeds the time limit.
    return [issue({ path: [], message: `cannot be checked: ${reasonOf(error)}` })]
  }
}
