// Compiles JSON Schemas to validators that the garbage collector can release, and caches those in use.
import { Ajv, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { LRUCache } from 'lru-cache'
import { RE2JS } from 're2js'
import type { JsonObject } from '../lib/validation.ts'

/** Memory of cached validators in bytes, in this thread. */
const CACHE_BYTES = 16 * 1024 * 1024
/**
 * The approximate size of a validator in bytes: a base, plus a part for each character of its schema and for each
 * instruction of a pattern.
 */
const VALIDATOR_BYTES = 4 * 1024
const CHARACTER_BYTES = 35
const INSTRUCTION_BYTES = 150

/** A pattern that needs more than linear time, such as one with a lookahead. */
export class SlowPattern extends Error {
  readonly pattern: string

  constructor(pattern: string, reason: string) {
    super(reason)
    this.pattern = pattern
  }
}

/** Returns the linear-time form of a pattern. @throws Error if it needs more. */
const linear = (pattern: string) => RE2JS.compile(RE2JS.translateRegExp(pattern))

/** @throws SlowPattern */
function onlyLinear(pattern: string): RE2JS {
  try {
    return linear(pattern)
  } catch (error) {
    throw new SlowPattern(pattern, error instanceof Error ? error.message : 'it failed')
  }
}

/**
 * New schemas only have linear patterns. Patterns stored by earlier versions may not be linear, and run as JavaScript
 * does.
 */
function anyPattern(pattern: string, flags: string): RE2JS | RegExp {
  try {
    return linear(pattern)
  } catch {
    return new RegExp(pattern, flags)
  }
}

const dialectNames = {
  latest: 'https://json-schema.org/draft/2020-12/schema',
  draft7: 'http://json-schema.org/draft-07/schema',
} as const

type Dialect = keyof typeof dialectNames

export const knownDialects: readonly string[] = Object.values(dialectNames)

/** Returns undefined if the dialect is unknown. */
export function dialectOf({ $schema = dialectNames.latest }: JsonObject): Dialect | undefined {
  if (typeof $schema !== 'string') return undefined
  const name = $schema.replace(/#$/, '')
  return name === dialectNames.latest ? 'latest' : name === dialectNames.draft7 ? 'draft7' : undefined
}

const classes = { latest: Ajv2020, draft7: Ajv } satisfies Record<Dialect, typeof Ajv | typeof Ajv2020>

const options = {
  allErrors: true,
  // The standard allows unknown keywords.
  strict: false,
  logger: false,
  // Inherited properties do not count.
  ownProperties: true,
  // Written into the value, so callers pass a copy.
  useDefaults: true,
  // Compiles each part once, however often it is referenced.
  inlineRefs: false,
} as const

const formats = 'default' in addFormats ? addFormats.default : addFormats

/** Checks schemas against their meta-schema, without compiling them. */
export class MetaSchemas {
  /** The idle instances. An instance that is validating is not in the list. */
  readonly #free = new Map<Dialect, Pick<Ajv, 'validateSchema' | 'errors'>>()

  /** Returns the errors of a schema as a value of its meta-schema. */
  errorsOf(schema: JsonObject) {
    const name = dialectOf(schema) ?? 'latest'
    const dialect = this.#free.get(name) ?? formats(new classes[name](options))
    // A time limit may stop this at any point. An instance that is stopped while it compiles its meta-schema stays
    // incomplete, so it must not be reused.
    this.#free.delete(name)
    const errors = dialect.validateSchema(schema) === true ? [] : (dialect.errors ?? [])
    this.#free.set(name, dialect)
    return errors
  }
}

/** The meta-schemas of this thread. */
export const metaSchemas = new MetaSchemas()

interface Compiled {
  readonly validate: ValidateFunction
  /** True if the schema may have defaults, which `validate` writes into the value. */
  readonly hasDefaults: boolean
  /** The approximate memory in bytes. */
  readonly size: number
}

/**
 * A prefix of code that V8 must not cache: V8 caches no code with a tagged template. Otherwise, it would keep all
 * sources of the same length above 16,383 characters, because their length is their hash. The prefix is parsed but
 * never executed.
 */
const UNCACHED = 'false && String.raw``;'

/**
 * Compiles a schema. Two things would keep it in memory forever. An ajv instance keeps everything that it ever
 * compiled, so each schema has its own instance, which costs 0.2 ms. And V8 keeps the source of `new Function`, of
 * scripts and, in Node 24, of `compileFunction`. It releases the source of an indirect `eval` that starts with
 * `UNCACHED`.
 */
function compile(schema: JsonObject, patternOf: (pattern: string, flags: string) => RE2JS | RegExp): Compiled {
  const text = JSON.stringify(schema)
  let size = VALIDATOR_BYTES + text.length * CHARACTER_BYTES
  const countedPattern = (pattern: string, flags: string) => {
    const found = patternOf(pattern, flags)
    if (found instanceof RE2JS) size += found.programSize() * INSTRUCTION_BYTES
    return found
  }
  let source = ''
  const code = {
    regExp: Object.assign(countedPattern, { code: 'patternOf' }),
    // Ajv passes the code that it returns to `new Function` immediately. It returns a constant, which V8 keeps once.
    process(given: string) {
      source = given
      return 'return self.opts.code.build(self, scope)'
    },
    build(self: unknown, scope: unknown): unknown {
      const make: unknown = (0, eval)(`${UNCACHED}(function (self, scope) {${source}})`)
      if (typeof make !== 'function') throw new Error('the code of a schema is no function')
      return Reflect.apply(make, undefined, [self, scope])
    },
  }
  const dialect = new classes[dialectOf(schema) ?? 'latest']({ ...options, meta: false, validateSchema: false, code })
  return { validate: formats(dialect).compile(schema), hasDefaults: text.includes('"default":'), size }
}

/** Validators by the JSON text of their schema. */
const validators = new LRUCache<string, Compiled, JsonObject>({
  maxSize: CACHE_BYTES,
  sizeCalculation: ({ size }) => size,
  memoMethod: (_text, _stale, { context }) => compile(context, anyPattern),
})

/** Returns the validator of a stored schema. @throws Error if it cannot be compiled. */
export const validatorOf = (schema: JsonObject): Pick<Compiled, 'validate' | 'hasDefaults'> =>
  validators.memo(JSON.stringify(schema), { context: schema })

/**
 * Compiles a new schema to check it. Does not cache it, because many schemas are only checked.
 *
 * @throws SlowPattern if a pattern in use is not linear. @throws Error if it cannot be compiled for another reason.
 */
export function tryToCompile(schema: JsonObject): void {
  compile(schema, onlyLinear)
}
