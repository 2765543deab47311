// The total count of REST lists: counted without a sort, and kept until the next write or for two seconds.
import { beforeEach, describe, expect, test } from 'vitest'
import { decodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let gateway: Client

beforeEach(async () => {
  world.setClock(undefined)
  gateway = await world.environment()
})

/** The counting statements of a request, and the total in its answer. */
async function read(path: string, client = gateway) {
  let total: unknown
  const statements = await statementsOf(async () => {
    const { status, body } = await client.rest(`GET /${path}`)
    expect(status).toBe(200)
    total = body.totalCount
  })
  return { total, counts: statements.filter((text) => /count\(/i.test(text)) }
}

/** Inserts a topic as another process would. */
async function insertElsewhere(key: string): Promise<void> {
  const { environment } = await gateway.ask('{ environment { id } }')
  await world.database.pool.query(
    `INSERT INTO topics (environment_id, id, key, data, created_at, updated_at)
     VALUES ($1, gen_random_uuid(), $2, '{}', now(), now())`,
    [decodeNodeId(environment.id).id, key],
  )
}

const lists = [
  'v1/channel-endpoints',
  'v1/integrations',
  'v2/contexts',
  'v2/subscribers',
  'v2/topics',
  'v2/workflows',
  'v2/topics/news/subscriptions',
  'v2/subscribers/ada/subscriptions',
  'v2/subscribers/ada/notifications',
]

describe('the total count of a REST list', () => {
  test.each(lists)('is counted once for several pages, without a sort: %s', async (path) => {
    await gateway.rest('POST /v2/subscribers', { body: { subscriberId: 'ada' } })
    await gateway.rest('POST /v2/topics', { body: { key: 'news' } })
    const first = await read(path)
    expect(first.counts).toHaveLength(1)
    expect(first.counts.join()).not.toMatch(/ORDER BY/i)
    expect(await read(`${path}?limit=1`)).toEqual({ total: first.total, counts: [] })
  })

  test('is counted for each filter', async () => {
    await gateway.rest('POST /v2/topics', { body: { key: 'news', name: 'News' } })
    await gateway.rest('POST /v2/topics', { body: { key: 'jobs', name: 'Jobs' } })
    expect(await read('v2/topics')).toMatchObject({ total: 2 })
    expect(await read('v2/topics?name=News')).toMatchObject({ total: 1, counts: [expect.any(String)] })
    expect(await read('v2/topics?name=Other')).toMatchObject({ total: 0, counts: [expect.any(String)] })
    expect(await read('v2/topics?name=News')).toMatchObject({ total: 1, counts: [] })
  })

  test('is counted again after a write of this process through either API', async () => {
    expect(await read('v2/topics')).toMatchObject({ total: 0 })
    await gateway.rest('POST /v2/topics', { body: { key: 'one' } })
    expect(await read('v2/topics')).toMatchObject({ total: 1 })
    await gateway.act('createTopic', { key: 'two' })
    expect(await read('v2/topics')).toMatchObject({ total: 2 })
    const headers = { 'idempotency-key': 'three' }
    await gateway.rest('POST /v2/topics', { body: { key: 'three' }, headers })
    expect(await read('v2/topics')).toMatchObject({ total: 3 })
    await gateway.rest('DELETE /v2/topics/one')
    expect(await read('v2/topics')).toMatchObject({ total: 2 })
  })

  test('is counted again after the worker wrote', async () => {
    await gateway.rest('POST /v2/subscribers', { body: { subscriberId: 'ada' } })
    const steps = [{ type: 'in_app', body: 'Hello' }]
    await gateway.rest('POST /v2/workflows', { body: { identifier: 'hello', name: 'Hello', steps } })
    await gateway.rest('POST /v1/events/trigger', { body: { name: 'hello', to: 'ada' } })
    expect(await read('v2/subscribers/ada/notifications')).toMatchObject({ total: 0 })
    await world.work()
    expect(await read('v2/subscribers/ada/notifications')).toMatchObject({ total: 1 })
  })

  test('contains a write of another process after two seconds', async () => {
    world.setClock(new Date('2030-01-01T00:00:00.000Z'))
    expect(await read('v2/topics')).toMatchObject({ total: 0 })
    await insertElsewhere('elsewhere')
    world.setClock(new Date('2030-01-01T00:00:01.999Z'))
    expect(await read('v2/topics')).toEqual({ total: 0, counts: [] })
    world.setClock(new Date('2030-01-01T00:00:02.000Z'))
    expect(await read('v2/topics')).toMatchObject({ total: 1 })
  })

  test("counts the caller's environment only", async () => {
    const other = await world.environment()
    await gateway.rest('POST /v2/topics', { body: { key: 'news' } })
    expect(await read('v2/topics')).toMatchObject({ total: 1 })
    expect(await read('v2/topics', other)).toMatchObject({ total: 0, counts: [expect.any(String)] })
    await other.rest('POST /v2/topics', { body: { key: 'theirs' } })
    expect(await read('v2/topics')).toEqual({ total: 1, counts: [] })
  })

  test('is always current in the graph', async () => {
    await read('v2/topics')
    await insertElsewhere('elsewhere')
    expect(await gateway.ask('{ topics { totalCount } }')).toEqual({ topics: { totalCount: 1 } })
  })
})
