// JSON Schemas that callers give: which ones are taken in, and what of a value breaks one.
import { Ajv, type DefinedError, type ErrorObject, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { LRUCache } from 'lru-cache'
import type { Issue } from './errors.ts'
import { valueAt } from './paths.ts'
import { within } from './time-limit.ts'
import { fieldName, type Json, type JsonObject, jsonObject, showable } from './validation.ts'

export const MAX_SCHEMA_BYTES = 64 * 1024
const MAX_SCHEMA_DEPTH = 32
/** Of what is said of one value. */
export const MAX_VIOLATIONS = 20
/** Total length of the schemas whose compiled validators are cached. */
const CACHED_CHARACTERS = 1_000_000
const COMPILE_MILLISECONDS = 2000
const RUN_MILLISECONDS = 500

type Path = Issue['path']

interface Finding {
  readonly path: Path
  readonly message: string
}

const options = {
  allErrors: true,
  // A schema may carry words of its own, as the standard allows.
  strict: false,
  logger: false,
  // What an object inherits is no property of it.
  ownProperties: true,
  // A part that is referred to a thousand times is compiled once.
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

/** Keywords whose values are no schemas, and may hold anything. */
const valueKeywords: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples'])

/** What a schema may not say because it would leave the schema: names of others, and of itself for others. */
function wayOut(part: Json, path: Path): Finding | undefined {
  if (typeof part !== 'object' || part === null) return undefined
  for (const [key, value] of Object.entries(part)) {
    const inside = [...path, Array.isArray(part) ? Number(key) : key]
    if (/^\$(dynamic|recursive)?Ref$/i.test(key) && typeof value === 'string' && !value.startsWith('#')) {
      return { path: inside, message: 'must refer to a place in the schema itself, such as "#/$defs/address"' }
    }
    if (key === '$id' && typeof value === 'string' && path.length > 0) {
      return { path: inside, message: 'is allowed in the outermost schema only' }
    }
    if (key === '$async') return { path: inside, message: 'is not allowed' }
    const found = valueKeywords.has(key) ? undefined : wayOut(value, inside)
    if (found) return found
  }
  return undefined
}

/** The place that a JSON pointer leads to in `value`: positions in lists are numbers. */
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

/** What ajv found, at the field that it is about and in our words. */
function findingOf(found: ErrorObject, value: unknown): Finding {
  const path = pathOf(found.instancePath, value)
  // Ajv has no other keywords than its own here, because we add none.
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

/** Keywords that say of a whole what its parts have said already, if they have. */
const echoes: ReadonlySet<string> = new Set(['if', 'anyOf', 'oneOf', 'propertyNames'])

const isEcho = (error: ErrorObject, errors: readonly ErrorObject[]) =>
  echoes.has(error.keyword) &&
  errors.some(({ keyword, instancePath }) => !echoes.has(keyword) && instancePath.startsWith(error.instancePath))

function findings(errors: readonly ErrorObject[] | null | undefined, value: unknown): readonly Finding[] {
  const said = new Map<string, Finding>()
  for (const error of errors ?? []) {
    if (isEcho(error, errors ?? [])) continue
    const found = findingOf(error, value)
    said.set(JSON.stringify(found), found)
    if (said.size === MAX_VIOLATIONS) break
  }
  return [...said.values()]
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

/** What keeps a JSON object from being a schema that we take in. */
function objections(schema: JsonObject): readonly Finding[] {
  const dialect = dialectOf(schema)
  if (dialect === undefined) {
    return [{ path: ['$schema'], message: `must be absent or one of ${listed(Object.keys(dialects))}` }]
  }
  const found = wayOut(schema, [])
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
 * The input schema of a JSON Schema that a caller gives: of draft 2020-12, or of draft-07 where `$schema` says so, at
 * most 64 KiB and 32 levels deep, without a reference that leads out of it.
 */
export const jsonSchema = jsonObject({ maxBytes: MAX_SCHEMA_BYTES, maxDepth: MAX_SCHEMA_DEPTH }).check(
  ({ value, issues }) => {
    // What is no JSON, or too large, was refused already, and may be too deep to look into.
    if (issues.length > 0) return
    for (const { path, message } of objections(value)) {
      issues.push({ code: 'custom', message, path: [...path], input: value })
    }
  },
)

/**
 * What of `value` breaks a schema that was taken in: nothing, or at most `MAX_VIOLATIONS` fields with what is allowed.
 *
 * @param at where the value is in the caller's input: paths and messages begin with it
 */
export function violations(schema: JsonObject, value: Json, at: Path = []): readonly Issue[] {
  const issue = ({ path, message }: Finding): Issue => {
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
    // A schema that refers to itself for ever, or a pattern that never comes to an end.
    return [issue({ path: [], message: `cannot be checked: ${reasonOf(error)}` })]
  }
}
