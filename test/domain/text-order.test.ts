// Lists in the order of names and of identifiers.
import { getNamedType, isEnumType } from 'graphql'
import { beforeAll, describe, expect, test } from 'vitest'
import { schema } from '../../src/graphql/graph/schema.ts'
import { lists } from '../support/lists.ts'
import { plansOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()

interface Connection<Node> {
  readonly nodes: readonly Node[]
  readonly edges: readonly { readonly cursor: string }[]
  readonly pageInfo: { readonly endCursor: string; readonly hasNextPage: boolean }
}

/** Reads the fields of all nodes of a list, two at a time. @param then runs after each page. */
async function walked<Node>(
  client: Client,
  [list, orderBy, fields]: readonly [list: string, orderBy: string, fields: string],
  then: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Node[]> {
  const found: Node[] = []
  for (let after: string | null = null; ;) {
    const query = `query ($after: String) { found: ${list}(first: 2, after: $after, orderBy: ${orderBy}) {
      nodes { ${fields} } edges { cursor } pageInfo { endCursor hasNextPage } } }`
    const page: { found: Connection<Node> } = await client.ask<{ found: Connection<Node> }>(query, { after })
    found.push(...page.found.nodes)
    if (!page.found.pageInfo.hasNextPage) return found
    after = page.found.pageInfo.endCursor
    await then()
  }
}

const ascending = (field: string) => `{ field: ${field}, direction: ASC }`
const descending = (field: string) => `{ field: ${field}, direction: DESC }`

describe('topics', () => {
  let client: Client
  const names = { t1: 'beta', t2: 'Alpha', t3: 'alpha', t4: 'Gamma', t5: 'alpha' }
  beforeAll(async () => {
    client = await world.environment()
    for (const [key, name] of Object.entries(names)) await client.act('createTopic', { key, name })
    // Without a name, a topic stands at its key. An empty name counts as none.
    await client.act('createTopic', { key: 'BEACH' })
    await client.act('createTopic', { key: 'delta', name: '' })
  })

  const byName = ['t2', 't3', 't5', 'BEACH', 't1', 'delta', 't4']

  test('are sorted by name, case-insensitive, with the key of those without a name', async () => {
    const keys = async (orderBy: string) =>
      (await walked<{ key: string }>(client, ['topics', orderBy, 'key'])).map(({ key }) => key)
    expect(await keys(ascending('NAME'))).toEqual(byName)
    // The id breaks ties in the same direction.
    expect(await keys(descending('NAME'))).toEqual(byName.toReversed())
    expect(await keys(ascending('KEY'))).toEqual(['BEACH', 'delta', 't1', 't2', 't3', 't4', 't5'])
  })

  test('continue where the last page ended if its last topic was renamed meanwhile', async () => {
    const { client: own, keys } = await copyOf()
    const found = await walked<{ key: string }>(own, ['topics', ascending('NAME'), 'key'], async () => {
      const renamed = keys.shift()
      if (renamed !== undefined) await own.act('updateTopic', { key: renamed, name: 'AAA' })
    })
    expect(found.map(({ key }) => key)).toEqual(byName)
  })

  /** An environment with the same topics, and the keys at the ends of pages of two. */
  async function copyOf() {
    const own = await world.environment()
    for (const [key, name] of Object.entries(names)) await own.act('createTopic', { key, name })
    await own.act('createTopic', { key: 'BEACH' })
    await own.act('createTopic', { key: 'delta', name: '' })
    return { client: own, keys: ['t3', 'BEACH', 'delta'] }
  }

  test('reject the cursor of another order, and a cursor with a text that cannot be stored', async () => {
    const { topics } = await client.ask<{ topics: { edges: [{ cursor: string }] } }>(
      `{ topics(first: 1, orderBy: ${ascending('NAME')}) { edges { cursor } } }`,
    )
    const [{ cursor }] = topics.edges
    const messageFor = async (after: string, orderBy: string) => {
      const { errors } = await client.send(
        `query ($after: String) { topics(after: $after, orderBy: ${orderBy}) { nodes { id } } }`,
        { after },
      )
      expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', field: ['after'] } }])
      return errors[0]?.message
    }
    expect(await messageFor(cursor, ascending('KEY'))).toBe(
      'after must be a cursor of this list in the order by identifier: it is one of the order by name',
    )
    const bytes = Buffer.from(cursor, 'base64url')
    for (const tail of ['\0', 'x'.repeat(900)]) {
      const forged = Buffer.concat([bytes, Buffer.from(tail)]).toString('base64url')
      expect(await messageFor(forged, ascending('NAME'))).toBe('after must be a cursor of this list')
    }
  })
})

test('subscribers are sorted by name, and by subscriberId if they have none', async () => {
  const client = await world.environment()
  const subscribers = [
    { subscriberId: 'u1', firstName: 'Grace', lastName: 'Hopper' },
    { subscriberId: 'u2', firstName: 'ada', lastName: 'Lovelace' },
    { subscriberId: 'bob' },
    { subscriberId: 'U3', firstName: 'Ada' },
  ]
  await client.act('createSubscribers', { subscribers })
  const ids = async (orderBy: string) =>
    (await walked<{ subscriberId: string }>(client, ['subscribers', orderBy, 'subscriberId'])).map(
      ({ subscriberId }) => subscriberId,
    )
  expect(await ids(ascending('NAME'))).toEqual(['U3', 'u2', 'bob', 'u1'])
  expect(await ids(descending('SUBSCRIBER_ID'))).toEqual(['U3', 'u2', 'u1', 'bob'])
})

test('long texts that begin with the same 200 characters are in the order of their ids', async () => {
  const client = await world.environment()
  const long = 'ä'.repeat(200)
  for (const end of ['c', 'a', 'b']) await client.act('createTopic', { key: end, name: `${long}${end}` })
  const found = await walked<{ key: string }>(client, ['topics', ascending('NAME'), 'key'])
  expect(found.map(({ key }) => key)).toEqual(['c', 'a', 'b'])
})

test('environments are sorted by name, and oldest first by default', async () => {
  const client = await world.environment()
  const names = ['zeta of text orders', 'Alpha of text orders', 'beta of text orders']
  for (const name of names) await client.act('createEnvironment', { name, color: '#000' })
  const own = async (args: string) => {
    const { environments } = await client.ask<{ environments: Connection<{ name: string }> }>(
      `{ environments(last: 100${args}) { nodes { name } } }`,
    )
    return environments.nodes.map(({ name }) => name).filter((name) => names.includes(name))
  }
  expect(await own(`, orderBy: ${ascending('NAME')}`)).toEqual([names[1], names[2], names[0]])
  for (const args of ['', ', orderBy: {}']) expect(await own(args)).toEqual(names)
})

/** The orders by text of each list, from the schema. */
const ordersByText = lists.flatMap(({ field, table }) => {
  const listed = schema.getQueryType()?.getFields()[field]
  const order = listed?.args.find(({ name }) => name === 'orderBy')
  const type = order && schema.getType(`${getNamedType(order.type).name}Field`)
  const values = isEnumType(type) ? type.getValues().map(({ name }) => name) : []
  return values.filter((name) => !name.endsWith('_AT')).map((by) => ({ field, table, by }))
})

test('17 orders by text are listed', () => {
  expect(ordersByText).toHaveLength(17)
})

/** Ways to read a small table that a large one has no use for. */
const sorts = ['enable_sort', 'enable_incremental_sort', 'enable_seqscan', 'enable_bitmapscan']

describe('an index has the rows in order', () => {
  test.each(ordersByText)('of $field by $by', async ({ field, table, by }) => {
    const client = await world.environment()
    for (const direction of ['ASC', 'DESC']) {
      const orderBy = `{ field: ${by}, direction: ${direction} }`
      const text = `{ ${field}(first: 2, orderBy: ${orderBy}) { nodes { id } } }`
      const [plan = ''] = await plansOf(world.database.pool, `"${table}"`, () => client.ask(text), sorts)
      expect(plan).toMatch(new RegExp(`${table}_sorted_(?:name|identifier|position)_idx`))
      expect(plan).not.toMatch(/Sort Key/)
    }
  })
})
