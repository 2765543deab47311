// Pages and cursors of every GraphQL connection.
import { getNamedType, isEnumType } from 'graphql'
import { beforeAll, describe, expect, test } from 'vitest'
import { decodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { schema } from '../../src/graphql/graph/schema.ts'
import { type ListOfNouns, lists } from '../support/lists.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()

const queries = Object.values(schema.getQueryType()?.getFields() ?? {})

const open = (list: ListOfNouns) => list.open?.(world) ?? world.environment()
const sizeOf = ({ there = 0 }: ListOfNouns) => there + SIZE

/**
 * The `orderBy` values of a list by time. A list without that argument is ordered by creation, oldest first.
 * test/domain/text-order.test.ts has the orders by text.
 */
function ordersOf({ field }: ListOfNouns): string[] {
  const order = queries.find(({ name }) => name === field)?.args.find(({ name }) => name === 'orderBy')
  const type = order && schema.getType(`${getNamedType(order.type).name}Field`)
  if (!isEnumType(type)) return ['']
  const fields = type.getValues().flatMap(({ name }) => (name.endsWith('_AT') ? name : []))
  return fields.flatMap((by) => ['ASC', 'DESC'].map((direction) => `{ field: ${by}, direction: ${direction} }`))
}

test('support/lists.ts contains every connection of Query', () => {
  const connections = queries.filter(({ type }) => getNamedType(type).name.endsWith('Connection'))
  expect(lists.map(({ field }) => field).toSorted()).toEqual(connections.map(({ name }) => name).toSorted())
})

const T0 = Date.UTC(2030, 0, 1)
const SIZE = 7

const rowId = (nodeId: string) => decodeNodeId(nodeId).id

async function createAt(list: ListOfNouns, gateway: Client, name: string, time: number): Promise<void> {
  world.setClock(new Date(time))
  try {
    expect(await list.create(gateway, name, world)).toMatchObject({ userErrors: [] })
  } finally {
    world.setClock(undefined)
  }
}

const PAGE = 'nodes { id } edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }'

interface Edge {
  readonly cursor: string
}

/** The fields of a list that tests select. */
interface Connection {
  readonly totalCount: number
  readonly nodes: readonly { readonly id: string }[]
  readonly edges: readonly [Edge, Edge, Edge, Edge, Edge, Edge, ...Edge[]]
  readonly pageInfo: {
    readonly hasNextPage: boolean
    readonly hasPreviousPage: boolean
    /** Null in an empty page, from which no test continues. */
    readonly startCursor: string
    readonly endCursor: string
  }
}

async function page(
  list: ListOfNouns,
  gateway: Client,
  args: Record<string, unknown>,
  fields = PAGE,
): Promise<Connection> {
  const found = (await gateway.ask<Record<string, Connection>>(queryOf(list, args, fields)))[list.field]
  if (found === undefined) throw new Error(`${list.field} is missing`)
  return found
}

function queryOf({ field }: ListOfNouns, args: Record<string, unknown>, fields = PAGE): string {
  const { orderBy, ...plain } = args
  const given = Object.entries(plain).map(([name, value]) => `${name}: ${JSON.stringify(value ?? null)}`)
  if (typeof orderBy === 'string' && orderBy !== '') given.push(`orderBy: ${orderBy}`)
  return `{ ${field}${given.length > 0 ? `(${given.join(', ')})` : ''} { ${fields} } }`
}

const idsOf = ({ nodes }: Pick<Connection, 'nodes'>): string[] => nodes.map(({ id }) => id)

/** Adds SIZE rows to a list. Many share a timestamp, and their creation and update orders differ. */
async function filled(list: ListOfNouns): Promise<Client> {
  const gateway = await open(list)
  for (let index = 0; index < SIZE; index++) {
    await createAt(list, gateway, `row-${index}`, T0 + Math.floor(index / 3) * 1000)
  }
  const ids = idsOf(await page(list, gateway, { first: 100 })).map(rowId)
  for (const [index, id] of ids.entries()) {
    const updatedAt = new Date(T0 + 60_000 + ((index * 5) % 3) * 1000)
    await world.database.pool.query(`UPDATE ${list.table} SET updated_at = $1 WHERE id = $2`, [updatedAt, id])
  }
  return gateway
}

/** Row ids in the expected order, read directly from the database. */
async function expected({ table }: ListOfNouns, ids: readonly string[], orderBy?: string): Promise<string[]> {
  const column = orderBy?.includes('UPDATED_AT') ? 'updated_at' : 'created_at'
  const direction = orderBy?.includes('DESC') ? 'DESC' : 'ASC'
  const { rows } = await world.database.pool.query(
    `SELECT id FROM ${table} WHERE id = ANY($1) ORDER BY ${column} ${direction}, id ${direction}`,
    [ids.map(rowId)],
  )
  return rows.map(({ id }) => id)
}

describe.each(lists)('the $field connection', (list) => {
  /** A client that never changes its list. */
  let reader: Client
  /** A client whose list the tests change. */
  let writer: Client
  beforeAll(async () => {
    reader = await filled(list)
    writer = await filled(list)
  })

  test.each(ordersOf(list))('returns every row once, forwards and backwards %s', async (orderBy) => {
    const whole = idsOf(await page(list, reader, { first: 100, orderBy }))
    expect(new Set(whole).size).toBe(sizeOf(list))
    expect(whole.map(rowId)).toEqual(await expected(list, whole, orderBy))

    const forwards: string[] = []
    for (let after: string | undefined, goesOn = true; goesOn;) {
      const { pageInfo, edges, ...read } = await page(list, reader, { first: 3, after, orderBy })
      expect(pageInfo.hasPreviousPage).toBe(after !== undefined)
      expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([edges[0].cursor, edges.at(-1)?.cursor])
      forwards.push(...idsOf(read))
      after = pageInfo.endCursor
      goesOn = pageInfo.hasNextPage
    }
    expect(forwards).toEqual(whole)

    const backwards: string[] = []
    for (let before: string | undefined, goesOn = true; goesOn;) {
      const { pageInfo, ...read } = await page(list, reader, { last: 3, before, orderBy })
      expect(pageInfo.hasNextPage).toBe(before !== undefined)
      backwards.unshift(...idsOf(read))
      before = pageInfo.startCursor
      goesOn = pageInfo.hasPreviousPage
    }
    expect(backwards).toEqual(whole)
  })

  test('continues at the same row after rows were added at either end', async () => {
    const whole = idsOf(await page(list, writer, { first: 100 }))
    const { pageInfo } = await page(list, writer, { first: 3 })
    await createAt(list, writer, 'newer', T0 + 86_400_000)
    await createAt(list, writer, 'older', Date.UTC(2001, 0, 1))
    expect(idsOf(await page(list, writer, { first: 3, after: pageInfo.endCursor }))).toEqual(whole.slice(3, 6))
  })

  test('continues from the cursor of a deleted row', async () => {
    const { edges, ...read } = await page(list, writer, { first: 100 })
    const whole = idsOf(read)
    await world.database.pool.query(`DELETE FROM ${list.table} WHERE id = $1`, whole.slice(4, 5).map(rowId))
    const { cursor } = edges[4]
    expect(idsOf(await page(list, writer, { first: 2, after: cursor }))).toEqual(whole.slice(5, 7))
    expect(idsOf(await page(list, writer, { last: 2, before: cursor }))).toEqual(whole.slice(2, 4))
  })

  test('returns the rows between two cursors, with more on both sides', async () => {
    const { edges, ...read } = await page(list, reader, { first: 100 })
    const between = { after: edges[1].cursor, before: edges[5].cursor }
    for (const size of [{ first: 10 }, { last: 10 }]) {
      const { pageInfo, ...range } = await page(list, reader, { ...size, ...between })
      expect(idsOf(range)).toEqual(idsOf(read).slice(2, 5))
      expect(pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: true })
    }
    expect(idsOf(await page(list, reader, { last: 1, ...between }))).toEqual(idsOf(read).slice(4, 5))
  })

  test('returns empty pages beyond its ends, with correct hasNextPage and hasPreviousPage', async () => {
    const { pageInfo } = await page(list, reader, { first: 100 })
    const nothing = { startCursor: null, endCursor: null }
    expect(await page(list, reader, { first: 3, after: pageInfo.endCursor })).toEqual({
      nodes: [],
      edges: [],
      pageInfo: { ...nothing, hasNextPage: false, hasPreviousPage: true },
    })
    expect(await page(list, reader, { last: 3, before: pageInfo.startCursor })).toEqual({
      nodes: [],
      edges: [],
      pageInfo: { ...nothing, hasNextPage: true, hasPreviousPage: false },
    })
    expect(await page(list, reader, { first: 0 }, `${PAGE} totalCount`)).toEqual({
      nodes: [],
      edges: [],
      pageInfo: { ...nothing, hasNextPage: true, hasPreviousPage: false },
      totalCount: sizeOf(list),
    })
  })

  test.each([
    [{ first: 101 }, 'first', 'first must be at most 100'],
    [{ first: -1 }, 'first', 'first must be at least 0'],
    [{ last: 101 }, 'last', 'last must be at most 100'],
    [{ last: -1 }, 'last', 'last must be at least 0'],
    [{ first: 1, last: 1 }, 'last', 'last must not be given together with first'],
  ])('rejects %j', async (args, field, message) => {
    const { errors } = await reader.send(queryOf(list, args))
    expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT', field: [field] } }])
  })

  test('rejects malformed cursors, and cursors of another list, order or owner', async () => {
    const stranger = await open(list)
    await list.create(stranger, 'theirs', world)
    const refusalOf = async (argument: 'after' | 'before', cursor: string, orderBy?: string) => {
      const { errors } = await reader.send(queryOf(list, { [argument]: cursor, orderBy }))
      expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', field: [argument] } }])
      return errors[0]?.message
    }

    const { endCursor: mine } = (await page(list, reader, { first: 1 })).pageInfo
    const forged = (change: (bytes: Buffer) => unknown) => {
      const bytes = Buffer.from(mine, 'base64url')
      change(bytes)
      return bytes.toString('base64url')
    }
    const tooLate = forged((bytes) => bytes.fill(255, 8, 14))
    for (const cursor of [
      '',
      'junk',
      'e30',
      mine.slice(4),
      `${mine}AAAA`,
      forged((bytes) => bytes.fill(9, 0, 1)),
      tooLate,
    ]) {
      expect(await refusalOf('after', cursor)).toBe('after must be a cursor of this list')
      expect(await refusalOf('before', cursor)).toBe('before must be a cursor of this list')
    }
    const { endCursor: theirs } = (await page(list, stranger, { first: 1 })).pageInfo
    expect(await refusalOf('after', theirs)).toBe('after must be a cursor of this list: it is one of another list')
    expect(
      await refusalOf(
        'after',
        forged((bytes) => bytes.fill(2, 0, 1)),
      ),
    ).toMatch('after must be a cursor of this list in the order by createdAt: it is one of the order by updatedAt')
  })

  test('continues from a cursor of version 0.1', async () => {
    const { edges, ...read } = await page(list, reader, { first: 100 })
    const whole = idsOf(read)
    const { rows } = await world.database.pool.query(
      `SELECT * FROM ${list.table} WHERE id = $1`,
      whole.slice(2, 3).map(rowId),
    )
    const { created_at: at, id } = rows[0]
    const ownerId = list.table === 'environments' ? rows[0].organization_id : rows[0].environment_id
    const written = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
    const after = written(list.field, 'createdAt', ownerId, at.getTime(), id)
    expect(idsOf(await page(list, reader, { first: 2, after }))).toEqual(whole.slice(3, 5))
    expect(edges[2].cursor).not.toBe(after)

    const { errors } = await reader.send(queryOf(list, { after: written('unicorns', 'createdAt', ownerId, 1, id) }))
    expect(errors).toMatchObject([
      {
        message: 'after must be a cursor of this list: it is one of another list',
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ])
    for (const invalid of [9e15, -1, 'x']) {
      const { errors } = await reader.send(
        queryOf(list, { after: written(list.field, 'createdAt', ownerId, invalid, id) }),
      )
      expect(errors).toMatchObject([
        { message: 'after must be a cursor of this list', extensions: { code: 'BAD_USER_INPUT' } },
      ])
    }
  })

  test('has cursors of 40 characters, equal for the same place', async () => {
    const { edges, pageInfo } = await page(list, reader, { first: 2 })
    for (const { cursor } of edges) expect(cursor).toMatch(/^[\w-]{40}$/)
    const [, second] = (await page(list, reader, { first: 2 })).edges
    expect([pageInfo.endCursor, second.cursor]).toEqual([edges[1].cursor, edges[1].cursor])
  })

  test('is one statement, also between two cursors', async () => {
    const { edges } = await page(list, reader, { first: 100 })
    const { length: callerOnly } = await statementsOf(() => reader.ask('{ __typename }'))
    for (const args of [{}, { after: edges[1].cursor }, { last: 2, after: edges[1].cursor, before: edges[5].cursor }]) {
      expect(await statementsOf(() => page(list, reader, args))).toHaveLength(callerOnly + 1)
    }
  })

  test('is counted only if requested, once for totalCount and totalCountCapped', async () => {
    const counts = async (fields: string) =>
      (await statementsOf(() => page(list, reader, { first: 2 }, fields))).filter((text) => /count\(/i.test(text))
    expect(await counts(PAGE)).toHaveLength(0)
    expect(await counts(`${PAGE} totalCount totalCountCapped`)).toHaveLength(1)
    expect(await page(list, reader, { first: 2 }, 'totalCount totalCountCapped')).toEqual({
      totalCount: sizeOf(list),
      totalCountCapped: false,
    })
  })
})

test('an invalid page of a list does not affect another page of the same list', async () => {
  const gateway = await world.environment()
  const { errors } = await gateway.send(
    '{ good: subscribers(first: 1) { totalCount } bad: subscribers(first: 101) { totalCount } }',
  )
  expect(errors).toMatchObject([{ path: ['bad'], message: 'first must be at most 100' }])
})

test('an empty list returns an empty page', async () => {
  const gateway = await world.environment()
  const { subscribers } = await gateway.ask(`{ subscribers { ${PAGE} totalCount totalCountCapped } }`)
  expect(subscribers).toEqual({
    nodes: [],
    edges: [],
    pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    totalCount: 0,
    totalCountCapped: false,
  })
})

test('a page has 20 rows by default, newest first, and up to 100 on request', async () => {
  const gateway = await world.environment()
  const rows = Array.from({ length: 101 }, (_, index) => ({ subscriberId: `user-${index}` }))
  await gateway.act('createSubscribers', { subscribers: rows })
  await gateway.act('createSubscriber', { subscriberId: 'newest' })
  const { usual, most } = await gateway.ask(
    '{ usual: subscribers { nodes { subscriberId } } most: subscribers(first: 100) { nodes { id } } }',
  )
  expect(usual.nodes).toHaveLength(20)
  expect(usual.nodes[0]).toEqual({ subscriberId: 'newest' })
  expect(most.nodes).toHaveLength(100)
})
