// The oracle of the executor is graphql-js: random operations of the graph have the same results with both.
import {
  buildSchema,
  execute as oracle,
  type ExecutionResult,
  type GraphQLError,
  isObjectType,
  parse,
  validate,
} from 'graphql'
import { expect, test } from 'vitest'
import { execute } from '../../../src/graphql/execution/execute.ts'
import { printedSchema } from '../../../src/graphql/graph/schema.ts'
import { chanceOf } from '../../support/chance.ts'
import { randomDocument } from '../../support/random-document.ts'
import { resolverOf, typeOf } from '../../support/random-resolvers.ts'

const OPERATIONS = 1_000

/** The graph without its resolvers: two of three values are read from their object. */
const schema = buildSchema(printedSchema)

function executionOf(seed: number) {
  const chance = chanceOf(seed)
  const { query, variables } = randomDocument(schema, chance)
  const options = { seed, promises: seed % 2 === 0 }
  const document = parse(query)
  // Fields of two members of a union may not be merged.
  if (validate(schema, document).length > 0) return undefined
  const resolve = resolverOf(options)
  // Values of their own are read by the default resolver, in a quarter of all operations by one for all fields.
  const isForAll = seed % 4 > 1
  for (const type of Object.values(schema.getTypeMap())) {
    for (const field of isObjectType(type) && !type.name.startsWith('__') ? Object.values(type.getFields()) : []) {
      const isRead =
        field.args.length === 0 &&
        !('getFields' in field.type) &&
        /^(\[?(String|ID|Int|Boolean|DateTime)!?\]?)!?$/.test(String(field.type))
      if (isForAll || isRead) delete field.resolve
      else field.resolve = resolve
    }
  }
  const args = {
    schema,
    document,
    variableValues: variables,
    typeResolver: typeOf(schema, options),
    rootValue: {},
    ...(isForAll ? { fieldResolver: resolve } : {}),
  }
  return { query, isSync: !options.promises, args }
}

const textOf = (error: GraphQLError) => JSON.stringify(error)

/** Where the data is null because of an error. */
function nulledBy({ path = [] }: GraphQLError, data: unknown): string {
  const way: (string | number)[] = []
  let value = data
  for (const key of path) {
    if (typeof value !== 'object' || value === null) break
    way.push(key)
    value = Reflect.get(value, key)
  }
  expect(value ?? null).toBeNull()
  return JSON.stringify(way)
}

const placesOf = ({ data, errors = [] }: ExecutionResult) =>
  [...new Set(errors.map((error) => nulledBy(error, data)))].sort()

test('random operations have the results of graphql-js', async () => {
  let different = 0
  let failed = 0
  let executed = 0
  for (let seed = 1; executed < OPERATIONS; seed += 1) {
    const execution = executionOf(seed)
    if (execution === undefined) continue
    const { query, isSync, args } = execution
    executed += 1
    const expected = await oracle(args)
    const found = execute(args)
    if (isSync) {
      expect(JSON.stringify(found), query).toBe(JSON.stringify(expected))
      continue
    }
    const result = await found
    failed += result.errors === undefined ? 0 : 1
    expect(JSON.stringify(result.data), query).toBe(JSON.stringify(expected.data))
    expect(placesOf(result), query).toEqual(placesOf(expected))
    const errors = result.errors?.map(textOf).sort()
    // Of several errors below one place that is null, the first one to arrive is reported.
    if (JSON.stringify(errors) !== JSON.stringify(expected.errors?.map(textOf).sort())) different += 1
  }
  expect(failed).toBeGreaterThan(OPERATIONS / 8)
  // About one in twenty: each change of the graph makes other operations of the same seeds.
  expect(different).toBeLessThan(OPERATIONS / 15)
})
