// Rules for the whole graph, which every type must follow.
import {
  getNamedType,
  getNullableType,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { resolverOf } from '../../src/graphql/schema/resolver-extension.ts'
import { printedSchema, schema } from '../../src/graphql/graph/schema.ts'

const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'))
const objects = types.filter(isObjectType)
const inputs = types.filter(isInputObjectType)
const fieldsOf = (type: GraphQLNamedType) =>
  isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : []

/** Every type, field, argument and enum value, with its schema coordinate. */
function* described(): Generator<[coordinate: string, element: { description?: string | null }]> {
  for (const type of types) {
    yield [type.name, type]
    for (const field of fieldsOf(type)) {
      yield [`${type.name}.${field.name}`, field]
      for (const argument of field.args) yield [`${type.name}.${field.name}(${argument.name}:)`, argument]
    }
    if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) yield [`${type.name}.${field.name}`, field]
    }
    if (isEnumType(type)) for (const value of type.getValues()) yield [`${type.name}.${value.name}`, value]
  }
}

const named = (type: string): GraphQLObjectType => {
  const found = schema.getType(type)
  if (!isObjectType(found)) throw new Error(`${type} is no object type`)
  return found
}

const typeOf = (object: GraphQLObjectType, field: string) => String(object.getFields()[field]?.type)
const argumentsOf = (args: readonly (GraphQLArgument | GraphQLInputField)[]) =>
  Object.fromEntries(args.map(({ name, type }) => [name, String(type)]))
const rootFields = (root: 'Query' | 'Mutation') => Object.values(named(root).getFields())

describe('schema.graphql', () => {
  test('matches the code', () => {
    const file = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8')
    expect(file === printedSchema, 'schema.graphql is behind the code: run npm run schema').toBe(true)
  })
})

describe('the graph', () => {
  test('describes everything in a full sentence', () => {
    const isSentence = (text: string) => /^\S.*[.:]$/s.test(text)
    const silent = [...described()].filter(([, { description }]) => !isSentence(description ?? ''))
    expect(silent.map(([coordinate]) => coordinate)).toEqual([])
  })

  test('names the specification of every scalar of its own', () => {
    const scalars = types.filter(isScalarType).filter((type) => !isSpecifiedScalarType(type))
    expect(scalars.map(({ name }) => name)).toContain('DateTime')
    expect(scalars.filter(({ specifiedByURL }) => !URL.canParse(specifiedByURL ?? ''))).toEqual([])
  })

  test('says what null means for every nullable field', () => {
    const silent = objects.flatMap((object) =>
      Object.values(object.getFields())
        .filter(({ type, description }) => !isNonNullType(type) && !/\bnull\b/i.test(description ?? ''))
        .map((field) => `${object.name}.${field.name}`),
    )
    expect(silent).toEqual([])
  })

  test('has enum values in upper case', () => {
    const values = types.filter(isEnumType).flatMap((type) => type.getValues().map(({ name }) => name))
    expect(values.filter((name) => !/^[A-Z][A-Z0-9_]*$/.test(name))).toEqual([])
  })

  test('has an `id` only on nodes, where it is the node id', () => {
    const withId = objects.filter((object) => 'id' in object.getFields())
    const isNode = (object: GraphQLObjectType) => object.getInterfaces().some(({ name }) => name === 'Node')
    expect(withId.filter((object) => !isNode(object)).map(({ name }) => name)).toEqual([])
    for (const object of objects.filter(isNode)) expect(typeOf(object, 'id'), object.name).toBe('ID!')
  })

  test('has no list with nullable items, except `nodes`', () => {
    const holds = (type: unknown): boolean => {
      const list = getNullableType(type as Parameters<typeof getNullableType>[0])
      return isListType(list) && !isNonNullType(list.ofType)
    }
    const fields = objects.flatMap((object) =>
      Object.values(object.getFields())
        .filter(({ type }) => holds(type))
        .map(({ name }) => `${object.name}.${name}`),
    )
    expect(fields).toEqual(['Query.nodes'])
  })
})

test('every field of Query, Mutation and Subscription calls a resolver, except those that load nodes', () => {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  const without = roots.flatMap((root) =>
    Object.values(root?.getFields() ?? {})
      .filter((field) => resolverOf(field) === undefined)
      .map(({ name }) => name),
  )
  expect(without).toEqual(['node', 'nodes'])
})

describe('Relay', () => {
  test('nodes can be queried by id', () => {
    expect(String(named('Query').getFields()['node']?.type)).toBe('Node')
    expect(argumentsOf(named('Query').getFields()['node']?.args ?? [])).toEqual({ id: 'ID!' })
    expect(String(named('Query').getFields()['nodes']?.type)).toBe('[Node]!')
    expect(argumentsOf(named('Query').getFields()['nodes']?.args ?? [])).toEqual({ ids: '[ID!]!' })
  })

  const connections = objects.filter(({ name }) => name.endsWith('Connection'))

  test.each(connections.map(({ name }) => name))('%s has the fields of a connection', (name) => {
    const connection = named(name)
    const noun = name.replace(/Connection$/, '')
    const fields = Object.values(connection.getFields())
    expect(argumentsOf(fields.map(({ name, type }) => ({ name, type }) as GraphQLArgument))).toEqual({
      edges: `[${noun}Edge!]!`,
      nodes: `[${noun}!]!`,
      pageInfo: 'PageInfo!',
      totalCount: 'Int!',
      totalCountCapped: 'Boolean!',
    })
    expect(typeOf(named(`${noun}Edge`), 'node')).toBe(`${noun}!`)
    expect(typeOf(named(`${noun}Edge`), 'cursor')).toBe('String!')
  })

  test('every field that returns a connection takes page arguments and is never null', () => {
    const giving = objects.flatMap((object) =>
      Object.values(object.getFields())
        .filter(({ type }) => getNamedType(type).name.endsWith('Connection'))
        .map((field) => ({ coordinate: `${object.name}.${field.name}`, field })),
    )
    expect(giving.length).toBeGreaterThanOrEqual(connections.length)
    for (const { coordinate, field } of giving) {
      expect(isNonNullType(field.type), coordinate).toBe(true)
      expect(argumentsOf(field.args), coordinate).toMatchObject({
        first: 'Int',
        after: 'String',
        last: 'Int',
        before: 'String',
      })
    }
  })
})

describe('mutations', () => {
  test.each(rootFields('Mutation').map(({ name }) => name))(
    '%s takes one input and returns its own payload',
    (name) => {
      const field = named('Mutation').getFields()[name]
      const typeName = name.charAt(0).toUpperCase() + name.slice(1)
      expect(argumentsOf(field?.args ?? [])).toEqual({ input: `${typeName}Input!` })
      expect(String(field?.type)).toBe(`${typeName}Payload!`)
      const payload = named(`${typeName}Payload`)
      expect(typeOf(payload, 'userErrors')).toBe('[UserError!]!')
      const others = Object.values(payload.getFields()).filter((field) => field.name !== 'userErrors')
      expect(others.length).toBeGreaterThan(0)
      for (const { name, type } of others) expect(isNonNullType(type), `${name}, which a refusal has not`).toBe(false)
    },
  )
})

describe('channel endpoints', () => {
  test('have the 14 documented types, as output and as input', () => {
    const union = schema.getType('Endpoint')
    const input = schema.getType('EndpointInput')
    if (!isUnionType(union) || !isInputObjectType(input)) throw new Error('Endpoint must be a union and an input')
    const members = union.getTypes().map(({ name }) => name)
    expect(members).toHaveLength(14)
    // Null in a page if it cannot be decrypted, with an error at its path.
    expect(typeOf(named('ChannelEndpoint'), 'endpoint')).toBe('Endpoint')
    expect(input.isOneOf).toBe(true)
    const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)
    expect(Object.keys(input.getFields()).map(pascal).sort()).toEqual(members.toSorted())
  })
})

test('inputs with @oneOf have only nullable fields without defaults', () => {
  for (const input of inputs.filter(({ isOneOf }) => isOneOf)) {
    for (const { name, type, defaultValue } of Object.values(input.getFields())) {
      expect(isNonNullType(type) || defaultValue !== undefined, `${input.name}.${name}`).toBe(false)
    }
  }
})
