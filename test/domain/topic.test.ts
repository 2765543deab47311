// Topics over GraphQL.
import { describe, expect, test } from 'vitest'
import { plansOf } from '../support/statements.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

describe('topics', () => {
  test('are found by their key and by their node id', async () => {
    const client = await world.environment()
    const { topic } = await client.act(
      'createTopic',
      { key: 'releases', name: 'Releases', data: { team: 'core' } },
      'topic { id key name data }',
    )
    expect(topic).toMatchObject({ key: 'releases', name: 'Releases', data: { team: 'core' } })
    expect(
      await client.ask(
        'query ($id: ID!) { topic(key: "releases") { id } node(id: $id) { ... on Topic { key } } }',
        topic,
      ),
    ).toEqual({ topic: { id: topic.id }, node: { key: 'releases' } })
  })

  test.each(['a', 'Release_notes-2:eu', 'ada@example.com', 'x'.repeat(255)])('accept %s as a key', async (key) => {
    const client = await world.environment()
    expect((await client.act('createTopic', { key }, 'topic { key name data }')).topic).toEqual({
      key,
      name: null,
      data: {},
    })
  })

  test.each([
    ['', 'key must not be empty'],
    ['two words', 'key must be letters, digits, "-", "_" and ":", or an email address'],
    ['grüße', 'key must be letters, digits, "-", "_" and ":", or an email address'],
    ['x'.repeat(256), 'key must be at most 255 characters long'],
  ])('reject "%s" as a key', async (key, message) => {
    const client = await world.environment()
    const refused = await client.act('createTopic', { key }, 'topic { id }')
    expect(refused).toMatchObject({ topic: null, userErrors: [{ code: 'BAD_USER_INPUT', message, field: ['key'] }] })
    expect(await client.ask('{ topics { totalCount } }')).toEqual({ topics: { totalCount: 0 } })
  })

  test('return CONFLICT for a key that is taken', async () => {
    const client = await world.environment()
    await client.act('createTopic', { key: 'releases', name: 'First' })
    expect(await client.act('createTopic', { key: 'releases', name: 'Second' }, 'topic { id }')).toEqual({
      topic: null,
      userErrors: [{ code: 'CONFLICT', message: 'Topic "releases" already exists', field: ['key'] }],
    })
    expect(await client.ask('{ topic(key: "releases") { name } }')).toEqual({ topic: { name: 'First' } })
  })

  test('are created by the first upsert, and updated with the given fields by the next', async () => {
    const client = await world.environment()
    const first = await client.act('upsertTopic', { key: 'k', name: 'Old', data: { a: 1 } }, 'created topic { id }')
    const second = await client.act('upsertTopic', { key: 'k', name: 'New' }, 'created topic { id name data }')
    expect([first.created, second.created]).toEqual([true, false])
    expect(second.topic).toEqual({ id: first.topic.id, name: 'New', data: { a: 1 } })
  })

  test('do not change on an upsert without fields', async () => {
    const client = await world.environment()
    const { topic } = await client.act('createTopic', { key: 'k', name: 'Name' }, 'topic { id name updatedAt }')
    world.setClock(new Date('2040-01-01T00:00:00Z'))
    const upserted = await client.act('upsertTopic', { key: 'k' }, 'created topic { id name updatedAt }')
    world.setClock(undefined)
    expect(upserted).toMatchObject({ created: false, topic })
  })

  test('are created once by twenty concurrent upserts of one key', async () => {
    const client = await world.environment()
    const all = await Promise.all(
      Array.from({ length: 20 }, () => client.act('upsertTopic', { key: 'rush' }, 'created topic { id }')),
    )
    expect(all.filter(({ created }) => created)).toHaveLength(1)
    expect(new Set(all.map(({ topic }) => topic.id)).size).toBe(1)
  })

  test('keep absent fields, clear a null name and replace data on an update', async () => {
    const client = await world.environment()
    world.setClock(new Date('2026-01-01T00:00:00Z'))
    await client.act('createTopic', { key: 'k', name: 'Name', data: { a: 1 } })
    world.setClock(new Date('2026-01-02T00:00:00Z'))
    const { topic } = await client.act('updateTopic', { key: 'k', data: { b: 2 } }, 'topic { name data updatedAt }')
    expect(topic).toEqual({ name: 'Name', data: { b: 2 }, updatedAt: '2026-01-02T00:00:00.000Z' })
    expect((await client.act('updateTopic', { key: 'k' }, 'topic { name data updatedAt }')).topic).toEqual(topic)
    const cleared = await client.act('updateTopic', { key: 'k', name: null }, 'topic { name data createdAt }')
    expect(cleared.topic).toEqual({ name: null, data: { b: 2 }, createdAt: '2026-01-01T00:00:00.000Z' })
    world.setClock(undefined)
  })

  test('are not found in another environment', async () => {
    const [here, there] = [await world.environment(), await world.environment()]
    await there.act('createTopic', { key: 'theirs' })
    const notFound = [{ code: 'NOT_FOUND', message: 'Topic "theirs" not found', field: ['key'] }]
    expect((await here.act('updateTopic', { key: 'theirs', name: 'Mine' })).userErrors).toEqual(notFound)
    expect((await here.act('deleteTopic', { key: 'theirs' })).userErrors).toEqual(notFound)
    expect(await here.ask('{ topic(key: "theirs") { id } }')).toEqual({ topic: null })
    expect(await there.ask('{ topic(key: "theirs") { name } }')).toEqual({ topic: { name: null } })
  })

  test('are deleted together with their subscriptions', async () => {
    const client = await world.environment()
    await client.act('createSubscriber', { subscriberId: 'ada' })
    await client.act('createTopicSubscriptions', { topicKey: 'k', subscriptions: [{ subscriberId: 'ada' }] })
    await client.act('deleteTopic', { key: 'k' })
    expect(await client.ask('{ topic(key: "k") { id } topicSubscriptions { totalCount } }')).toEqual({
      topic: null,
      topicSubscriptions: { totalCount: 0 },
    })
  })
})

describe('the list of topics', () => {
  test('filters by exact key, exact name, or a case-insensitive part of either', async () => {
    const client = await world.environment()
    await client.act('createTopic', { key: 'eu:releases', name: 'Releases in Europe' })
    await client.act('createTopic', { key: 'eu:outages', name: 'Outages 100%' })
    await client.act('createTopic', { key: 'us:releases' })
    const keys = async (filter: Record<string, string>) => {
      const { topics } = await client.ask(
        `query ($filter: TopicFilter) { topics(filter: $filter, orderBy: { direction: ASC }) { nodes { key } } }`,
        { filter },
      )
      return topics.nodes.map(({ key }: { key: string }) => key)
    }
    expect(await keys({ key: 'us:releases' })).toEqual(['us:releases'])
    expect(await keys({ name: 'Releases in Europe' })).toEqual(['eu:releases'])
    expect(await keys({ search: 'RELEASES' })).toEqual(['eu:releases', 'us:releases'])
    expect(await keys({ search: 'europe' })).toEqual(['eu:releases'])
    expect(await keys({ search: '00%' })).toEqual([])
    expect(await keys({ search: '100%' })).toEqual(['eu:outages'])
    expect(await keys({ search: 'EU' })).toEqual(await keys({ search: 'eu:' }))
    expect(await keys({ search: 'oU' })).toEqual(['eu:outages'])
    expect(await keys({ search: 'u:' })).toEqual([])
    expect(await keys({ search: '%' })).toEqual([])
    expect(await keys({ search: 'eu:', name: 'Outages 100%' })).toEqual(['eu:outages'])
  })

  test('searches with the trigram index', async () => {
    const client = await world.environment()
    await client.act('createTopic', { key: 'first' })
    await world.database.pool.query(
      `INSERT INTO topics (environment_id, id, key, name, data, created_at, updated_at)
       SELECT environment_id, gen_random_uuid(), 'topic-' || n, 'Number ' || n, '{}', now(), now()
       FROM topics, generate_series(1, 5000) AS n WHERE key = 'first'`,
    )
    // ANALYZE alone is not enough: new rows stay in the pending list of the index until a VACUUM.
    await world.database.pool.query('VACUUM ANALYZE topics')
    const [plan] = await plansOf(world.database.pool, '"topics"', () =>
      client.ask('{ topics(filter: { search: "4321" }) { nodes { key } } }'),
    )
    expect(plan).toContain('topics_search_idx')
    expect(plan).not.toContain('Seq Scan')
  })
})
