// Compiled payload schemas are released: the memory of the process does not grow with the number of schemas it has seen.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { schemaObjections, validated } from '../../src/evaluation/json-schema.ts'
import type { JsonObject } from '../../src/lib/validation.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const MAX_GROWTH = 50

/** The megabytes in use. */
function heap(): number {
  // Objects finalized by the first collection are released by the second one.
  collect()
  collect()
  return process.memoryUsage().heapUsed / 2 ** 20
}

/** A schema that is unique for each name, with about 60 bytes per property. */
function schemaNamed(name: string, properties = 20): JsonObject {
  const names = Array.from({ length: properties }, (_, index) => `property${index}of${name}`)
  return { type: 'object', properties: Object.fromEntries(names.map((one) => [one, { type: 'string', minLength: 1 }])) }
}

test('5,000 schemas, half of them only checked, take at most 50 MB', () => {
  const before = heap()
  for (let index = 0; index < 5000; index += 2) {
    expect(schemaObjections(schemaNamed(`checked${index}`))).toEqual([])
    expect(validated(schemaNamed(`used${index}`), { [`property1ofused${index}`]: '' }).violations).toHaveLength(1)
  }
  expect(heap() - before).toBeLessThan(MAX_GROWTH)
})

test('2,000 schemas whose code has more than 16,383 characters take at most 50 MB', () => {
  const before = heap()
  // Names of the same length, because V8 uses the length of long code as its hash, and caches code that it seems to
  // know.
  for (let index = 1000; index < 3000; index += 1) {
    expect(schemaObjections(schemaNamed(`large${index}`, 50))).toEqual([])
  }
  expect(heap() - before).toBeLessThan(MAX_GROWTH)
})

test('300 schemas that are used in turn take at most 50 MB', () => {
  const schemas = Array.from({ length: 300 }, (_, index) => schemaNamed(`turn${index}`))
  const before = heap()
  for (let round = 0; round < 20; round += 1) {
    for (const schema of schemas) validated(schema, {})
  }
  expect(heap() - before).toBeLessThan(MAX_GROWTH)
})
