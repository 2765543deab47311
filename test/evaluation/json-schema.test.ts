// JSON Schemas of payloads: which schemas are valid, how violations are reported, and how the process is protected.
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { assertWorkflow } from '../../src/domain/workflow-check.ts'
import { jsonSchema, MAX_VIOLATIONS } from '../../src/evaluation/json-schema.ts'
import { MetaSchemas, validatorOf } from '../../src/evaluation/schema-compiler.ts'
import { TimeLimitExceeded, within } from '../../src/evaluation/time-limit.ts'
import { explain } from '../../src/evaluation/work.ts'
import { Refusal } from '../../src/lib/errors.ts'
import { issueAt, type Json, type JsonObject, parse } from '../../src/lib/validation.ts'
import { evaluate, evaluatorOf } from '../support/evaluation.ts'

async function read(given: JsonObject): Promise<JsonObject> {
  const { payloadSchema } = parse(z.object({ payloadSchema: jsonSchema }), { payloadSchema: given })
  const load = () => Promise.reject(new Error('a schema reads nothing'))
  await assertWorkflow({ evaluator: evaluatorOf('schemas'), load }, { payloadSchema })
  return payloadSchema
}

async function refusalOf(schema: JsonObject): Promise<Refusal> {
  const error: unknown = await read(schema).catch((error: unknown) => error)
  if (error instanceof Refusal) return error
  throw error instanceof Error ? error : new Error('taken in')
}

/** The violations of a stored schema, as a trigger reports them. */
async function storedMessagesOf(schema: JsonObject, value: Json): Promise<string[]> {
  const outcome = await evaluate('validation', { schema, value })
  if (outcome.status === 'deferred') throw new Error('deferred')
  if (outcome.status === 'failed') return [explain('The validation', outcome)]
  return outcome.value.violations.map(({ path, message }) => issueAt(['payload', ...path], message, undefined).message)
}

const messagesOf = async (schema: JsonObject, value: Json) => storedMessagesOf(await read(schema), value)

function nested(depth: number): JsonObject {
  let schema: JsonObject = { type: 'string' }
  for (let level = 1; level < depth; level += 1) schema = { not: schema }
  return schema
}

/** A schema of about `length` characters that is unique for each number. */
function largeSchema(number: number, length: number): JsonObject {
  const properties: JsonObject = {}
  for (let index = 0; index < length / 60; index += 1) {
    properties[`property${index}of${number}`] = { type: 'string', minLength: 1, maxLength: index + 9 }
  }
  return { type: 'object', properties }
}

/** A schema that checks twice at each level: 2 ** `levels` checks in total. */
function doubling(levels: number): JsonObject {
  const definitions: JsonObject = { a0: { type: 'string' } }
  for (let level = 1; level <= levels; level += 1) {
    const below = { $ref: `#/$defs/a${level - 1}` }
    definitions[`a${level}`] = { allOf: [below, below] }
  }
  return { $defs: definitions, $ref: `#/$defs/a${levels}` }
}

describe('a payload', () => {
  test('that matches its schema has no violations', async () => {
    const schema = { type: 'object', required: ['total'], properties: { total: { type: 'number' } } }
    expect(await messagesOf(schema, { total: 5, more: true })).toEqual([])
  })

  test.each<[JsonObject, Json, string[]]>([
    [{ type: 'object' }, [], ['payload must be an object']],
    [{ required: ['a'] }, {}, ['payload.a is required']],
    [{ required: ['toString'] }, {}, ['payload.toString is required']],
    [{ additionalProperties: false }, { b: 1 }, ['payload.b is not allowed']],
    [
      { properties: { l: { items: { type: ['integer', 'null'] } } } },
      { l: [1, 'x'] },
      ['payload.l[1] must be an integer or null'],
    ],
    [{ properties: { e: { enum: ['a', 1] } } }, { e: 2 }, ['payload.e must be one of "a", 1']],
    [{ properties: { e: { const: 'a' } } }, { e: 2 }, ['payload.e must be "a"']],
    [{ properties: { m: { format: 'email' } } }, { m: 'x' }, ['payload.m must match format "email"']],
    [{ if: { required: ['a'] }, then: { required: ['b'] } }, { a: 1 }, ['payload.b is required']],
    [
      { propertyNames: { maxLength: 2 } },
      { abc: 1 },
      ['payload.abc has a name that must not have more than 2 characters'],
    ],
    [{ properties: { 'a/b~c': { type: 'string' } } }, { 'a/b~c': 1 }, ['payload["a/b~c"] must be a string']],
  ])('that violates %j gets a readable message', async (schema, value, messages) => {
    expect(await messagesOf(schema, value)).toEqual(messages)
  })

  test('is reported with at most MAX_VIOLATIONS violations', async () => {
    expect(await messagesOf({ items: { type: 'integer' } }, Array.from({ length: 10_000 }, String))).toHaveLength(
      MAX_VIOLATIONS,
    )
  })

  test('is validated with draft-07 if its schema names it', async () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: { word: { type: 'string' } },
      items: [{ $ref: '#/definitions/word' }],
    }
    expect(await messagesOf(schema, [1])).toEqual(['payload[0] must be a string'])
  })

  test('is validated with its own schema, even if another has the same $id', async () => {
    const $id = 'https://acme.example/order'
    expect(await messagesOf({ $id, type: 'string' }, 1)).toEqual(['payload must be a string'])
    expect(await messagesOf({ $id, type: 'number' }, 1)).toEqual([])
  })

  test('is matched in linear time with a pattern that would backtrack forever', async () => {
    const schema = { pattern: '^(a+)+$', patternProperties: { '^(b+)+$': false } }
    expect(await messagesOf(schema, `${'a'.repeat(50)}!`)).toEqual(['payload must match pattern "^(a+)+$"'])
  })

  test('is matched with a JavaScript-only pattern if the stored schema has one', async () => {
    const schema = { pattern: '^(?!x)' }
    expect(await storedMessagesOf(schema, 'y')).toEqual([])
    expect(await storedMessagesOf(schema, 'x')).toEqual(['payload must match pattern "^(?!x)"'])
  })

  test.each<[string, JsonObject, Json, string | RegExp]>([
    ['a schema that doubles its work at each level', doubling(40), 'a', 'The validation took too long.'],
    ['a stored pattern that backtracks for ever', { pattern: '^(?!x)(a+)+$' }, `${'a'.repeat(50)}!`, 'took too long.'],
    // Which limit comes first depends on the machine: the stack or the time.
    ['a schema that refers to itself for ever', { $ref: '#' }, 1, /^The validation (could not be evaluated: |took)/],
  ])('is rejected rather than checked for ever by %s', async (_name, schema, value, message) => {
    expect(await storedMessagesOf(schema, value)).toEqual([expect.stringMatching(message)])
  })
})

describe('a schema', () => {
  test('may have properties that are named like keywords', async () => {
    const schema = { properties: { $id: { type: 'string' }, $async: true, pattern: { type: 'string' } } }
    expect(await messagesOf(schema, { $id: 1, $async: 1, pattern: 1 })).toEqual([
      'payload["$id"] must be a string',
      'payload.pattern must be a string',
    ])
  })

  test('is compiled once, even if 300 schemas take turns', () => {
    const schemas = Array.from({ length: 300 }, (_, index) => largeSchema(index, 1200))
    const compiled = schemas.map(validatorOf)
    expect(schemas.map((schema) => validatorOf(structuredClone(schema)))).toEqual(compiled)
  })

  test.each<[string, JsonObject, string, (string | number)[]]>([
    [
      'of an unknown type',
      { properties: { a: { type: 'strin' } } },
      'payloadSchema.properties.a.type must be one of',
      ['properties', 'a', 'type'],
    ],
    ['that refers elsewhere', { $ref: 'https://acme.example/s' }, 'must refer to a part of the same schema', ['$ref']],
    ['that refers to nothing', { $ref: '#/$defs/none' }, "can't resolve reference #/$defs/none", []],
    ['with a pattern that is none', { pattern: '(' }, 'payloadSchema.pattern is not a valid pattern', ['pattern']],
    [
      'with a pattern that looks ahead',
      { properties: { a: { pattern: '^(?=a)' } } },
      'payloadSchema.properties.a.pattern must be a pattern without lookaround and backreferences: invalid',
      ['properties', 'a', 'pattern'],
    ],
    [
      'with a pattern of names that refers back',
      { patternProperties: { '(a)\\1': true } },
      'must be a pattern without lookaround and backreferences: invalid escape sequence',
      ['patternProperties', '(a)\\1'],
    ],
    [
      'with a pattern that looks ahead in a value that it refers to',
      { $ref: '#/default', default: { pattern: '^(?=a)' } },
      'payloadSchema.default.pattern must be a pattern without lookaround',
      ['default', 'pattern'],
    ],
    [
      'with a pattern that looks ahead under a property named as a keyword',
      { $schema: 'http://json-schema.org/draft-07/schema#', dependencies: { const: { pattern: '^(?=a)' } } },
      'payloadSchema.dependencies.const.pattern must be a pattern without lookaround',
      ['dependencies', 'const', 'pattern'],
    ],
    [
      'with a name inside a property named as a keyword',
      { properties: { const: { $id: 'x' } } },
      'is allowed in the outermost schema only',
      ['properties', 'const', '$id'],
    ],
    ['that is asynchronous', { $async: true }, 'payloadSchema["$async"] is not allowed', ['$async']],
    [
      'of a draft that we do not know',
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      'must be absent or one of',
      ['$schema'],
    ],
    [
      'with a name inside',
      { properties: { a: { $id: 'x' } } },
      'is allowed in the outermost schema only',
      ['properties', 'a', '$id'],
    ],
    ['that is too deep', nested(40), 'must not nest deeper than 32 levels', []],
    ['that is deeper than the stack', nested(20_000), 'must not nest deeper than 32 levels', []],
    ['that is too large', { enum: ['x'.repeat(65_536)] }, 'must be at most 65536 bytes of JSON', []],
    [
      'with the key __proto__',
      JSON.parse('{"properties": {"__proto__": {}}}') as JsonObject,
      'must not contain the key "__proto__"',
      [],
    ],
  ])('%s is rejected', async (_name, schema, message, path) => {
    const refusal = await refusalOf(schema)
    expect(refusal.message).toContain(message)
    expect(refusal.issues[0]?.path).toEqual(['payloadSchema', ...path])
  })
})

test('a validation that is stopped does not affect the next one', () => {
  const metaSchemas = new MetaSchemas()
  // The first check compiles the meta-schema, which takes longer.
  expect(() => within(1, () => metaSchemas.errorsOf({}))).toThrow(TimeLimitExceeded)
  expect(metaSchemas.errorsOf({ type: 'object' })).toEqual([])
  expect(metaSchemas.errorsOf({ type: 'thing' })).not.toEqual([])
})
