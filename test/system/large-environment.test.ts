// Reads in a large environment: every read uses an index, and counts stop at 50,000.
import { beforeAll, describe, expect, test } from 'vitest'
import { decodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { cursorsOf } from '../../src/lib/cursor.ts'
import { plansOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ ownDatabase: true })
let gateway: Client

const LARGE = 20_000

async function rowIdOfEnvironment(client: Client): Promise<string> {
  const { environment } = await client.ask('{ environment { id } }')
  return decodeNodeId(environment.id).id
}

/** Inserts rows without checking each foreign key, which would take most of the time. One transaction. */
const insert = (...statements: readonly string[]) =>
  world.database.pool.query(['SET LOCAL session_replication_role = replica', ...statements].join('; '))

async function fill(client: Client, size: number): Promise<void> {
  const environmentId = await rowIdOfEnvironment(client)
  await insert(
    `INSERT INTO subscribers (environment_id, id, subscriber_id, first_name, email, phone, data, created_at, updated_at)
     SELECT '${environmentId}', gen_random_uuid(), 'user-' || n, 'Name ' || n, 'user' || n || '@example.com', '+1' || n, '{}',
            timestamptz '2030-01-01' + n * interval '1 second', timestamptz '2031-01-01' - n * interval '1 second'
     FROM generate_series(1, ${size}) AS n`,
    `INSERT INTO contexts (environment_id, id, type, identifier, key, data, created_at, updated_at)
     SELECT '${environmentId}', gen_random_uuid(), 'tenant', 'n' || n, 'tenant:n' || n, '{}',
            timestamptz '2030-01-01' + n * interval '1 second', timestamptz '2030-01-01'
     FROM generate_series(1, ${size}) AS n`,
    `INSERT INTO topics (environment_id, id, key, name, data, created_at, updated_at)
     SELECT '${environmentId}', gen_random_uuid(), 'n' || n, 'Name ' || n, '{}',
            timestamptz '2030-01-01' + n * interval '1 second', timestamptz '2030-01-01'
     FROM generate_series(1, ${size}) AS n`,
    `INSERT INTO workflows (environment_id, id, identifier, name, active, critical, severity, tags, data, created_at, updated_at)
     SELECT '${environmentId}', gen_random_uuid(), 'n' || n, 'Name ' || n, n % 1000 <> 0, false, 'none', '{}', '{}',
            timestamptz '2030-01-01' + n * interval '1 second', timestamptz '2030-01-01'
     FROM generate_series(1, ${size}) AS n`,
  )
}

beforeAll(async () => {
  gateway = await world.environment()
  await fill(gateway, LARGE)
  for (const name of ['Staging', 'Testing']) await fill(await world.environment(name), 1000)
  // The state that autovacuum leaves: current statistics, and no pending entries in the trigram indexes.
  await world.database.pool.query('VACUUM ANALYZE')
}, 300_000)

/** The plan of the only statement on `table` that a query sends. */
async function planFor(table: string, query: string, variables?: Record<string, unknown>): Promise<string> {
  const plans = await plansOf(world.database.pool, `"${table}"`, () => gateway.ask(query, variables))
  expect(plans).toHaveLength(1)
  return plans.join()
}

/** The indexes of a plan. Each once: a page with a cursor uses its index twice, to look beyond the cursor too. */
const indexesOf = (plan: string) => [
  ...new Set(Array.from(plan.matchAll(/Index (?:Only )?Scan (?:Backward )?(?:using|on) (\w+)/g), ([, index]) => index)),
]
const removedBy = (plan: string) =>
  Array.from(plan.matchAll(/Rows Removed by .*: (\d+)/g), ([, rows]) => Number(rows)).reduce((sum, n) => sum + n, 0)

describe('a search', () => {
  test('for a rare substring of a subscriber uses the trigram index', async () => {
    const plan = await planFor(
      'subscribers',
      '{ subscribers(filter: { search: "ser13210@" }) { nodes { subscriberId } } }',
    )
    expect(indexesOf(plan)).toContain('subscribers_search_idx')
  })

  test('for a rare substring of a workflow uses the trigram index', async () => {
    const plan = await planFor('workflows', '{ workflows(filter: { search: "n13210" }) { nodes { identifier } } }')
    expect(indexesOf(plan)).toContain('workflows_search_idx')
  })

  test('for a rare substring of a context key uses the trigram index', async () => {
    const plan = await planFor('contexts', '{ contexts(filter: { search: "n13210" }) { nodes { key } } }')
    expect(indexesOf(plan)).toContain('contexts_search_idx')
  })
})

describe('a search for two letters', () => {
  test.each(['zq', 'z', '--', '---', '+9', '%'])('that nobody has, %j, reads no rows', async (search) => {
    const fields = ['subscriber_id', 'email', 'phone', 'name']
    const plan = await planFor(
      'subscribers',
      'query ($search: String) { subscribers(filter: { search: $search }) { nodes { id } } }',
      { search },
    )
    expect(indexesOf(plan).toSorted()).toEqual(fields.map((field) => `subscribers_lower_${field}_idx`).toSorted())
    expect(removedBy(plan)).toBe(0)
  })

  test('that many have reads no more rows than it returns', async () => {
    const plan = await planFor('subscribers', '{ subscribers(filter: { search: "us" }) { nodes { id } } }')
    expect(removedBy(plan)).toBe(0)
  })

  test('counts without reading every row', async () => {
    const [plan = ''] = await plansOf(world.database.pool, 'count(*)', () =>
      gateway.ask('{ subscribers(filter: { search: "zq" }) { totalCount } }'),
    )
    expect(indexesOf(plan)).toContain('subscribers_lower_email_idx')
    expect(removedBy(plan)).toBe(0)
  })

  test('in contexts uses an index', async () => {
    const plan = await planFor('contexts', '{ contexts(filter: { search: "zq" }) { nodes { key } } }')
    expect(indexesOf(plan)).toEqual(['contexts_lower_identifier_idx'])
  })

  test('in topics uses the indexes of both fields', async () => {
    const plan = await planFor('topics', '{ topics(filter: { search: "zq" }) { nodes { key } } }')
    expect(indexesOf(plan).toSorted()).toEqual(['topics_lower_key_idx', 'topics_lower_name_idx'])
  })

  test('in workflows uses the indexes of both fields', async () => {
    const plan = await planFor('workflows', '{ workflows(filter: { search: "zq" }) { nodes { identifier } } }')
    expect(indexesOf(plan).toSorted()).toEqual(['workflows_lower_identifier_idx', 'workflows_lower_name_idx'])
  })
})

test('a list of the inactive workflows reads no others', async () => {
  const plan = await planFor('workflows', '{ workflows(filter: { active: false }) { nodes { identifier } } }')
  expect(indexesOf(plan)).toEqual(['workflows_environment_id_active_created_at_id_idx'])
  expect(removedBy(plan)).toBe(0)
})

describe('an exact filter', () => {
  test.each([
    ['email', 'user13210@example.com', 'subscribers_lower_email_idx'],
    ['phone', '+113210', 'subscribers_lower_phone_idx'],
    ['name', 'Name 13210', 'subscribers_lower_name_idx'],
    ['subscriberId', 'user-13210', 'subscribers_environment_id_subscriber_id_key'],
  ])('by %s uses its index', async (field, value, index) => {
    const plan = await planFor(
      'subscribers',
      'query ($filter: SubscriberFilter) { subscribers(filter: $filter) { nodes { subscriberId } } }',
      { filter: { [field]: value } },
    )
    expect(indexesOf(plan)).toEqual([index])
  })
})

test('an exact filter of topics by name uses its index', async () => {
  const plan = await planFor('topics', '{ topics(filter: { name: "Name 13210" }) { nodes { key } } }')
  expect(indexesOf(plan)).toEqual(['topics_lower_name_idx'])
})

test('an exact filter of contexts by identifier uses its index', async () => {
  const plan = await planFor('contexts', '{ contexts(filter: { identifier: "n13210" }) { nodes { key } } }')
  expect(indexesOf(plan)).toEqual(['contexts_lower_identifier_idx'])
})

describe('a deep page', () => {
  const orders = {
    CREATED_AT: { field: 'createdAt', column: 'created_at', at: new Date(Date.UTC(2030, 0, 1) + 15_000_000) },
    UPDATED_AT: { field: 'updatedAt', column: 'updated_at', at: new Date(Date.UTC(2031, 0, 1) - 15_000_000) },
  } as const

  test.each([
    ['CREATED_AT', 'ASC'],
    ['CREATED_AT', 'DESC'],
    ['UPDATED_AT', 'ASC'],
    ['UPDATED_AT', 'DESC'],
  ] as const)('ordered by %s %s starts at its cursor', async (order, direction) => {
    const { field, column, at } = orders[order]
    const list = { name: 'subscribers', ownerId: await rowIdOfEnvironment(gateway) }
    // A cursor among the 20,000 rows. Cursors do not contain the direction, and any id will do.
    const after = cursorsOf(list, field).encode({ at, id: world.gateway.newId() })
    const plan = await planFor(
      'subscribers',
      `query ($after: String, $orderBy: SubscriberOrder) {
        subscribers(first: 100, after: $after, orderBy: $orderBy) { nodes { subscriberId } }
      }`,
      { after, orderBy: { field: order, direction } },
    )
    expect(indexesOf(plan)).toEqual([`subscribers_environment_id_${column}_id_idx`])
    expect(plan).toMatch(new RegExp(`Index Cond: .*${column}`))
    expect(plan).not.toContain('Seq Scan')
    expect(removedBy(plan)).toBe(0)
  })
})

test('counts are exact up to 50,000 rows and capped above that', async () => {
  const crowd = await world.environment()
  // The table of API keys has the fewest indexes, so it fills fastest. It already has one row.
  await insert(
    `INSERT INTO api_keys (environment_id, id, user_id, name, access, hash, cipher, hint, created_at, updated_at)
     SELECT environment_id, gen_random_uuid(), user_id, 'Key ' || n, access, 'hash ' || n, cipher, hint, created_at, updated_at
     FROM api_keys, generate_series(1, 49999) AS n WHERE environment_id = '${await rowIdOfEnvironment(crowd)}'`,
  )
  const count = async () => (await crowd.ask('{ apiKeys(first: 1) { totalCount totalCountCapped } }')).apiKeys
  expect(await count()).toEqual({ totalCount: 50_000, totalCountCapped: false })
  await crowd.act('createApiKey', { name: 'One more' })
  expect(await count()).toEqual({ totalCount: 50_000, totalCountCapped: true })
  await crowd.act('createApiKey', { name: 'And another' })
  expect(await count()).toEqual({ totalCount: 50_000, totalCountCapped: true })
}, 120_000)
