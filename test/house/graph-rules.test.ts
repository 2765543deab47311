// The rules of CONTRIBUTING, "The graph": names, addresses, enums, deprecations, and what was released before.
import {
  buildSchema,
  findBreakingChanges,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  NoDeprecatedCustomRule,
  parse,
  validate,
} from 'graphql'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { schema } from '../../src/graphql/graph/schema.ts'

const root = path.join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const filesIn = (folder: string, ending: RegExp) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => path.join(folder, name))

/** A field, an argument or a field of an input. */
interface Named {
  /** The type or the field that has it. */
  readonly owner: string
  readonly name: string
  readonly type: string
  readonly description: string
  readonly deprecation: string | null
  /** The names of everything that the owner has. */
  readonly beside: readonly string[]
}

interface Described {
  readonly name: string
  readonly type: unknown
  readonly description?: string | null | undefined
  readonly deprecationReason?: string | null | undefined
}

const namesOf = (elements: readonly { readonly name: string }[]) => elements.map(({ name }) => name)
const named = (owner: string, elements: readonly Described[]): Named[] =>
  elements.map(({ name, type, description, deprecationReason }) => ({
    ...{ owner, name, type: String(type), description: description ?? '', deprecation: deprecationReason ?? null },
    beside: namesOf(elements),
  }))

const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'))
const fields = types.flatMap((type) =>
  isObjectType(type) || isInterfaceType(type)
    ? Object.values(type.getFields()).map((field) => ({ type: type.name, field }))
    : [],
)
const inputs = types.filter(isInputObjectType)
const outputElements = types.flatMap((type) =>
  isObjectType(type) || isInterfaceType(type) ? named(type.name, Object.values(type.getFields())) : [],
)
const inputElements = [
  ...fields.flatMap(({ type, field }) => named(`${type}.${field.name}`, field.args)),
  ...inputs.flatMap((input) => named(input.name, Object.values(input.getFields()))),
]
const elements = [...outputElements, ...inputElements]
const current = elements.filter(({ deprecation }) => deprecation === null)
const coordinateOf = ({ owner, name }: Named) => (owner.includes('.') ? `${owner}(${name}:)` : `${owner}.${name}`)

/** How a field, an argument and a filter name an object of another noun, and several of them. */
const names = {
  workflow: ['workflowIdentifier', 'workflowIdentifiers'],
  integration: ['integrationIdentifier', 'integrationIdentifiers'],
  subscriber: ['subscriberId', 'subscriberIds'],
  topic: ['topicKey', 'topicKeys'],
  transaction: ['transactionId', 'transactionIds'],
  context: ['contextKey', 'contextKeys'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** True for a text that can name an object. An ID is a node id, as in `environmentId`. */
const isText = ({ type }: Named) => /^\[?String\b/.test(type)

describe('the graph has one name for one thing', () => {
  test.each(Object.entries(names))('%s', (noun, allowed) => {
    const alike = new RegExp(`^${noun}s?((Id|Identifier|Key|Slug)s?)?$`)
    const found = current.filter(isText).filter(({ name }) => alike.test(name))
    const others = found.filter(({ name }) => !(allowed as readonly string[]).includes(name))
    expect(found.length).toBeGreaterThan(0)
    expect(others.map(coordinateOf)).toEqual([])
  })

  test('what is described as the identifier of another object has its name', () => {
    const noun = /^The identifiers? (?:or id )?of (?:\w+ )*?(workflow|integration)\b/
    const found = current.flatMap((one) => {
      const [, what] = noun.exec(one.description) ?? []
      return what === undefined ? [] : [{ ...one, what }]
    })
    const others = found.filter(
      ({ owner, name, what }) =>
        !(name === 'identifier' && owner.toLowerCase().includes(what)) && !name.startsWith(`${what}Identifier`),
    )
    expect(found.length).toBeGreaterThan(10)
    expect(others.map(coordinateOf)).toEqual([])
  })
})

test('lists take their conditions in `filter` and their order in `orderBy`', () => {
  const paging = ['first', 'after', 'last', 'before', 'filter', 'orderBy']
  /** What selects the whole list, rather than nodes of it. */
  const scopes = ['contextKeys', 'environmentId']
  const lists = fields.filter(({ field }) => getNamedType(field.type).name.endsWith('Connection'))
  const owners = new Set(lists.map(({ type, field }) => `${type}.${field.name}`))
  const others = current.filter(({ owner, name }) => owners.has(owner) && ![...paging, ...scopes].includes(name))
  expect(owners.size).toBeGreaterThan(10)
  expect(others.map(coordinateOf)).toEqual([])
})

describe('a deprecation', () => {
  const isDeprecated = ({ deprecation }: Named) => deprecation !== null
  const coordinates = new Set(current.map(coordinateOf))

  test('names what replaces it', () => {
    const lacking = elements.filter(isDeprecated).filter(({ deprecation, beside }) => {
      const replacements = [...(deprecation ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
      return replacements.length === 0 || !replacements.every((name) => beside.includes(name) || coordinates.has(name))
    })
    expect(elements.filter(isDeprecated).length).toBeGreaterThan(10)
    expect(lacking.map(coordinateOf)).toEqual([])
  })

  test('is never of an input that is required', () => {
    const required = inputElements.filter(isDeprecated).filter(({ type }) => type.endsWith('!'))
    expect(required.map(coordinateOf)).toEqual([])
  })
})

test('nothing that was released is removed or changed', () => {
  const released = buildSchema(read('test/house/released-schema.graphql'))
  expect(findBreakingChanges(released, schema)).toEqual([])
})

test('the pages and the documentation use nothing that is deprecated', () => {
  const sources = [
    ...['src/dashboard', 'src/inbox']
      .flatMap((folder) => filesIn(folder, /(?<!\.d)\.tsx?$/))
      .flatMap((file) => [...read(file).matchAll(/\bgraphql\(\s*`([^`]*)`/g)].map(([, text = '']) => ({ file, text }))),
    ...[...read('src/graphiql/examples.ts').matchAll(/query: `([^`]*)`/g)].map(([, text = '']) => ({
      file: 'src/graphiql/examples.ts',
      text,
    })),
    ...['README.md', ...filesIn('docs', /\.md$/)].flatMap((file) =>
      [...read(file).matchAll(/^```graphql\n(.*?)^```/gms)].map(([, text = '']) => ({ file, text })),
    ),
  ]
  expect(sources.length).toBeGreaterThan(100)
  const found = sources.flatMap(({ file, text }) =>
    validate(schema, parse(text), [NoDeprecatedCustomRule]).map(({ message }) => `${file}: ${message}`),
  )
  expect(found).toEqual([])
})
