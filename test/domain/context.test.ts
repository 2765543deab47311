// Contexts: creation, updates, deletion, keys and lists.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let gateway: Client
beforeEach(async () => {
  gateway = await world.environment()
})

const CONTEXT = 'context { type identifier key data }'
const acme = { type: 'tenant', identifier: 'acme', data: { name: 'Acme', plan: { seats: 5 } } }

const read = async (key: string) =>
  (await gateway.ask(`query ($key: String!) { context(key: $key) { type identifier key data } }`, { key })).context

async function keys(filter: object): Promise<string[]> {
  const { contexts } = await gateway.ask(
    'query ($filter: ContextFilter) { contexts(filter: $filter, orderBy: { direction: ASC }) { nodes { key } } }',
    { filter },
  )
  return contexts.nodes.map(({ key }: { key: string }) => key)
}

const refused = (code: string, message: string, field: string) => ({
  context: null,
  userErrors: [{ code, message, field: [field] }],
})

describe('createContext', () => {
  test('builds the key from the type and the identifier', async () => {
    const created = await gateway.act('createContext', acme, CONTEXT)
    expect(created).toEqual({ context: { ...acme, key: 'tenant:acme' }, userErrors: [] })
    expect(await read('tenant:acme')).toEqual({ ...acme, key: 'tenant:acme' })
  })

  test('stores an empty object when data is null', async () => {
    await gateway.act('createContext', { type: 'app', identifier: 'crm', data: null })
    expect(await read('app:crm')).toMatchObject({ data: {} })
  })

  test('returns CONFLICT for an existing context and keeps its data', async () => {
    await gateway.act('createContext', acme)
    const again = await gateway.act('createContext', { ...acme, data: {} }, CONTEXT)
    expect(again).toEqual(refused('CONFLICT', 'Context "tenant:acme" already exists', 'identifier'))
    expect(await read('tenant:acme')).toMatchObject({ data: acme.data })
  })

  test('succeeds for one of ten concurrent requests and returns CONFLICT to the others', async () => {
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => gateway.act('createContext', acme)))
    expect(outcomes.filter(({ userErrors }) => userErrors.length === 0)).toHaveLength(1)
    expect(outcomes.filter(({ userErrors }) => userErrors.some(({ code }) => code === 'CONFLICT'))).toHaveLength(9)
  })

  test.each([
    ['type', '', 'must be 1 to 100 letters, digits, "_" or "-"'],
    ['type', 'ten ant', 'must be 1 to 100 letters, digits, "_" or "-"'],
    ['identifier', 'a:b', 'must be 1 to 100 letters, digits, "_" or "-"'],
    ['identifier', 'ünder', 'must be 1 to 100 letters, digits, "_" or "-"'],
    ['identifier', 'a\n', 'must be 1 to 100 letters, digits, "_" or "-"'],
    ['identifier', 'a'.repeat(101), 'must be 1 to 100 letters, digits, "_" or "-"'],
    ['data', { text: 'x'.repeat(65_536) }, 'must be at most 65536 bytes of JSON'],
  ])('rejects an invalid %s', async (field, value, message) => {
    const outcome = await gateway.act('createContext', { ...acme, [field]: value }, CONTEXT)
    expect(outcome).toEqual(refused('BAD_USER_INPUT', `${field} ${message}`, field))
    expect(await keys({})).toEqual([])
  })

  test('accepts data up to the limit, counted in bytes of UTF-8', async () => {
    // `{"text":"` and `"}` take eleven bytes, `x` takes one, each ü two.
    const full = { text: 'ü'.repeat((65_536 - 12) / 2) + 'x' }
    expect((await gateway.act('createContext', { ...acme, data: full }, CONTEXT)).userErrors).toEqual([])
    const over = await gateway.act('updateContext', { key: 'tenant:acme', data: { text: `${full.text}x` } }, CONTEXT)
    expect(over).toEqual(refused('BAD_USER_INPUT', 'data must be at most 65536 bytes of JSON', 'data'))
  })
})

describe('updateContext', () => {
  test('replaces the whole data object', async () => {
    await gateway.act('createContext', acme)
    const updated = await gateway.act('updateContext', { key: 'tenant:acme', data: { plan: 'free' } }, CONTEXT)
    expect(updated.context.data).toEqual({ plan: 'free' })
    expect(await read('tenant:acme')).toMatchObject({ data: { plan: 'free' } })
  })

  test('returns NOT_FOUND for an unknown context', async () => {
    const outcome = await gateway.act('updateContext', { key: 'tenant:acme', data: {} }, CONTEXT)
    expect(outcome).toEqual(refused('NOT_FOUND', 'Context "tenant:acme" not found', 'key'))
  })
})

describe('deleteContext', () => {
  test('returns the node id of the deleted context, and NOT_FOUND the second time', async () => {
    const { context } = await gateway.act('createContext', acme, 'context { id }')
    const deleted = await gateway.act('deleteContext', { key: 'tenant:acme' }, 'deletedId')
    expect(deleted).toEqual({ deletedId: context.id, userErrors: [] })
    expect(await read('tenant:acme')).toBeNull()
    expect((await gateway.act('deleteContext', { key: 'tenant:acme' })).userErrors).toEqual([
      { code: 'NOT_FOUND', message: 'Context "tenant:acme" not found', field: ['key'] },
    ])
  })
})

describe('a context key', () => {
  test.each(['acme', 'tenant:', ':acme', 'tenant:acme:x', 'tenant acme'])(
    'is rejected with a description of the format: %j',
    async (key) => {
      const { errors } = await gateway.send('query ($key: String!) { context(key: $key) { id } }', { key })
      expect(errors).toMatchObject([
        {
          message: 'key must have the form <type>:<id>, such as tenant:acme',
          extensions: { code: 'BAD_USER_INPUT', field: ['key'] },
        },
      ])
    },
  )

  test('returns null if no context has it', async () => {
    expect(await read('tenant:nobody')).toBeNull()
  })
})

describe('a list of contexts', () => {
  beforeEach(async () => {
    for (const key of ['tenant:acme', 'tenant:Globex_1', 'app:acme', 'app:crm-1']) {
      const [type, identifier] = key.split(':')
      await gateway.act('createContext', { type, identifier })
    }
  })

  test.each([
    ['everything', {}, ['tenant:acme', 'tenant:Globex_1', 'app:acme', 'app:crm-1']],
    ['what null asks for: everything', { type: null }, ['tenant:acme', 'tenant:Globex_1', 'app:acme', 'app:crm-1']],
    ['a type', { type: 'tenant' }, ['tenant:acme', 'tenant:Globex_1']],
    ['an identifier', { identifier: 'acme' }, ['tenant:acme', 'app:acme']],
    ['both', { type: 'app', identifier: 'acme' }, ['app:acme']],
    ['a part of the key, in any case', { search: 'GLOB' }, ['tenant:Globex_1']],
    ['a part that spans type and identifier', { search: 'p:crm' }, ['app:crm-1']],
    ['two letters: the beginning of the identifier', { search: 'AC' }, ['tenant:acme', 'app:acme']],
    ['two letters in the middle of an identifier', { search: 'cm' }, []],
    ['an underscore taken literally', { search: 'bex_' }, ['tenant:Globex_1']],
    ['an underscore taken literally at the beginning', { search: '_' }, []],
    ['a percent sign taken literally', { search: '%' }, []],
    ['a search within a type', { search: 'acme', type: 'app' }, ['app:acme']],
  ])('contains the matches for %s', async (_what, filter, expected) => {
    expect(await keys(filter)).toEqual(expected)
  })
})
