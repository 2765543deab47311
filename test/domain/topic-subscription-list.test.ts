// Lists of topic subscriptions: filters, pages, the edges of topics and subscribers, and their cost in statements.
import { beforeAll, describe, expect, test } from 'vitest'
import { decodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { plansOf, statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()

const identifiersOf = ({ nodes }: { readonly nodes: readonly { readonly identifier: string }[] }): string[] =>
  nodes.map(({ identifier }) => identifier)

const tenant = { type: 'tenant', identifier: 'acme' }
const app = { type: 'app', identifier: 'web' }

/** An environment with Ada and Grace in two topics, under several contexts. Oldest first: a, b, c, d, e. */
async function populated(): Promise<Client> {
  const client = await world.environment()
  await client.act('createSubscribers', { subscribers: [{ subscriberId: 'ada' }, { subscriberId: 'grace' }] })
  for (const [identifier, subscriberId, topicKey, contexts] of [
    ['a', 'ada', 'releases', []],
    ['b', 'ada', 'releases', [tenant, app]],
    ['c', 'ada', 'outages', [tenant]],
    ['d', 'grace', 'releases', [app, tenant]],
    ['e', 'grace', 'outages', []],
  ] as const) {
    const made = await client.act(
      'createTopicSubscriptions',
      { topicKey, subscriptions: [{ subscriberId, identifier }], contexts },
      'failed { message }',
    )
    expect(made).toEqual({ failed: [], userErrors: [] })
  }
  return client
}

const parameters = '$filter: TopicSubscriptionFilter, $first: Int, $after: String, $last: Int, $before: String'
const args = 'filter: $filter, orderBy: { direction: ASC }, first: $first, after: $after, last: $last, before: $before'
const connection = `{
  totalCount
  nodes { identifier }
  pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
}`

/** The fields that `connection` selects. */
interface Connection {
  readonly totalCount: number
  readonly nodes: readonly { readonly identifier: string }[]
  readonly pageInfo: { readonly startCursor: string | null; readonly endCursor: string | null }
}

interface Variables {
  readonly filter?: object
  readonly first?: number
  readonly after?: string | null
  readonly last?: number
  readonly before?: string | null
}

type List = (client: Client, variables: Variables) => Promise<Connection>

/** Two ways to list the subscriptions of the topic `releases`. */
const places: readonly (readonly [string, List])[] = [
  [
    'of all',
    async (client, variables) => {
      const query = `query (${parameters}) { topicSubscriptions(${args}) ${connection} }` as const
      const filter = { ...variables.filter, topicKey: 'releases' }
      return (await client.ask(query, { ...variables, filter })).topicSubscriptions
    },
  ],
  [
    'of a topic',
    async (client, variables) => {
      const query = `query (${parameters}) { topic(key: "releases") { subscriptions(${args}) ${connection} } }` as const
      return (await client.ask(query, { ...variables })).topic.subscriptions
    },
  ],
]

describe('topic subscription filters', () => {
  let client: Client
  beforeAll(async () => {
    client = await populated()
  })

  test.each([
    [{}, 'abcde'],
    [{ topicKey: 'releases' }, 'abd'],
    [{ subscriberId: 'grace' }, 'de'],
    [{ topicKey: 'outages', subscriberId: 'ada' }, 'c'],
    [{ contextKeys: ['app:web', 'tenant:acme'] }, 'bd'],
    [{ contextKeys: ['tenant:acme', 'app:web'] }, 'bd'],
    [{ contextKeys: ['tenant:acme'] }, 'c'],
    [{ contextKeys: [] }, 'ae'],
    [{ contextKeys: ['tenant:other'] }, ''],
    [{ topicKey: 'nowhere' }, ''],
    [{ topicKeys: ['outages', 'nowhere'], subscriberIds: ['grace', 'ada'] }, 'ce'],
    [{ topicKeys: ['outages', 'releases'], contextKeys: [] }, 'ae'],
    [{ subscriberId: 'ada', subscriberIds: ['grace'] }, ''],
    [{ subscriberIds: ['ada', 'grace'], search: 'LEASE' }, 'abd'],
    [{ search: 'LEASE' }, 'abd'],
    [{ search: 'gr' }, 'de'],
    [{ search: 'race', topicKey: 'outages' }, 'e'],
    [{ search: 'ra' }, ''],
    [{ search: '%' }, ''],
  ])('find with %j: "%s"', async (filter, expected) => {
    const data = await client.ask(`query (${parameters}) { topicSubscriptions(${args}) ${connection} }`, { filter })
    expect(identifiersOf(data.topicSubscriptions).join('')).toBe(expected)
    expect(data.topicSubscriptions.totalCount).toBe(expected.length)
  })

  test('also apply to the lists of a topic and of a subscriber', async () => {
    const data = await client.ask(`{
      subscriber(subscriberId: "ada") {
        none: topicSubscriptions(filter: { contextKeys: [] }) { totalCount nodes { identifier } }
        outages: topicSubscriptions(filter: { topicKey: "outages" }) { totalCount nodes { identifier } }
      }
      topic(key: "releases") {
        hers: subscriptions(filter: { subscriberId: "grace" }) { totalCount nodes { identifier } }
      }
    }`)
    expect(data).toEqual({
      subscriber: {
        none: { totalCount: 1, nodes: [{ identifier: 'a' }] },
        outages: { totalCount: 1, nodes: [{ identifier: 'c' }] },
      },
      topic: { hers: { totalCount: 1, nodes: [{ identifier: 'd' }] } },
    })
  })

  test('reject a malformed context key', async () => {
    const { errors } = await client.send('{ topicSubscriptions(filter: { contextKeys: ["acme"] }) { totalCount } }')
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }])
    expect(errors[0]?.message).toContain('must have the form <type>:<id>')
  })
})

describe.each(places)('the list of topic subscriptions (%s)', (_name, list) => {
  let client: Client
  beforeAll(async () => {
    client = await populated()
  })
  const page = (variables: Variables) => list(client, variables)

  test('pages forwards and backwards, with the total count', async () => {
    const first = await page({ first: 2 })
    expect(identifiersOf(first)).toEqual(['a', 'b'])
    expect(first).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true, hasPreviousPage: false } })
    const second = await page({ first: 2, after: first.pageInfo.endCursor })
    expect(identifiersOf(second)).toEqual(['d'])
    expect(second).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: false, hasPreviousPage: true } })
    const back = await page({ last: 2, before: second.pageInfo.startCursor })
    expect(identifiersOf(back)).toEqual(['a', 'b'])
    expect(back.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false })
    expect(identifiersOf(await page({ last: 1 }))).toEqual(['d'])
  })

  test('keeps its filter across pages', async () => {
    const filter = { contextKeys: ['app:web', 'tenant:acme'] }
    const first = await page({ filter, first: 1 })
    expect(identifiersOf(first)).toEqual(['b'])
    const second = await page({ filter, first: 1, after: first.pageInfo.endCursor })
    expect(identifiersOf(second)).toEqual(['d'])
    expect(second).toMatchObject({ totalCount: 2, pageInfo: { hasNextPage: false } })
  })

  test('has no previous or next page beyond a cursor if the rows there were deleted', async () => {
    const own = await populated()
    const read = (variables: Variables) => list(own, variables)
    const { pageInfo } = await read({})
    const remove = (...identifiers: string[]) =>
      own.act('deleteTopicSubscriptions', {
        topicKey: 'releases',
        subscriptions: identifiers.map((identifier) => ({ identifier })),
      })
    const after = { first: 2, after: pageInfo.startCursor }
    const before = { last: 2, before: pageInfo.endCursor }
    expect((await read(after)).pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: false })
    expect((await read(before)).pageInfo).toMatchObject({ hasPreviousPage: false, hasNextPage: true })
    expect((await remove('a', 'd')).userErrors).toEqual([])
    for (const variables of [after, before]) {
      const left = await read(variables)
      expect(identifiersOf(left)).toEqual(['b'])
      expect(left.pageInfo).toMatchObject({ hasPreviousPage: false, hasNextPage: false })
    }
  })

  test('rejects page sizes over 100, malformed cursors and cursors of other lists', async () => {
    const { topics } = await client.ask('{ topics { pageInfo { endCursor } } }')
    for (const variables of [{ first: 101 }, { after: topics.pageInfo.endCursor }, { after: 'x' }]) {
      await expect(page(variables)).rejects.toThrow('"code":"BAD_USER_INPUT"')
    }
  })
})

test('ordering topic subscriptions by UPDATED_AT lists the latest change first', async () => {
  const client = await populated()
  await client.act('updateTopicSubscription', { topicKey: 'releases', identifier: 'b', name: 'Changed' })
  const { topicSubscriptions } = await client.ask(
    '{ topicSubscriptions(first: 2, orderBy: { field: UPDATED_AT }) { nodes { identifier } } }',
  )
  expect(identifiersOf(topicSubscriptions)).toEqual(['b', 'e'])
})

describe('a large number of topic subscriptions', () => {
  const people = 200
  const topics = 50
  let client: Client

  beforeAll(async () => {
    client = await world.environment()
    const { id } = decodeNodeId((await client.ask('{ environment { id } }')).environment.id)
    const insert = (statement: string, count: number) => world.database.pool.query(statement, [id, count])
    await insert(
      `INSERT INTO subscribers (environment_id, id, subscriber_id, data, created_at, updated_at)
       SELECT $1, gen_random_uuid(), 'person-' || n, '{}', now(), now() FROM generate_series(0, $2::int - 1) n`,
      people,
    )
    await insert(
      `INSERT INTO topics (environment_id, id, key, data, created_at, updated_at)
       SELECT $1, gen_random_uuid(), 'topic-' || n, '{}', now(), now() FROM generate_series(0, $2::int - 1) n`,
      topics,
    )
    await insert(
      `INSERT INTO topic_subscriptions (environment_id, id, identifier, topic_key, subscriber_id, context_keys,
                                        created_at, updated_at)
       SELECT $1, gen_random_uuid(), 'subscription-' || n, 'topic-' || n / ${people}, 'person-' || n % ${people},
              CASE WHEN n % 2 = 0 THEN '{}' ELSE ARRAY['tenant:t' || n % 100] END, at, at
       FROM generate_series(0, $2::int - 1) n,
            LATERAL (SELECT timestamptz '2026-01-01' + n * interval '1 second' AS at) time`,
      people * topics,
    )
    await client.act('createWorkflow', { identifier: 'digest', name: 'Digest' })
    await world.database.pool.query(
      `INSERT INTO topic_subscription_preferences (environment_id, subscription_id, position, workflow_id,
                                                   filter_workflow_ids, filter_tags, enabled)
       SELECT environment_id, subscription.id, 0, workflow.id, '{}', '{}', true
       FROM topic_subscriptions AS subscription JOIN workflows AS workflow USING (environment_id)
       WHERE environment_id = $1`,
      [id],
    )
    await world.database.pool.query('ANALYZE')
  })

  test.each([
    ['contexts', { contextKeys: ['tenant:t7'] }, 'context_keys_created_at__idx'],
    ['no contexts', { contextKeys: [] }, 'context_keys_created_at__idx'],
    ['a topic', { topicKey: 'topic-7' }, 'topic_key_created_at_id_idx'],
    ['a subscriber', { subscriberId: 'person-7' }, 'subscriber_id_created_at_idx'],
  ])('is listed by %s in a backward scan of the index, with no sort and no filter', async (_name, filter, index) => {
    const plans = await plansOf(world.database.pool, 'topic_subscriptions', () =>
      client.ask('query ($filter: TopicSubscriptionFilter) { topicSubscriptions(filter: $filter) { nodes { id } } }', {
        filter,
      }),
    )
    expect(plans).toEqual([
      expect.stringContaining(`Index Scan Backward using topic_subscriptions_environment_id_${index}`),
    ])
    expect(plans[0]).not.toMatch(/Sort|Filter/)
  })

  test('is searched by an index', async () => {
    // As autovacuum leaves it: without pending entries in the trigram index.
    await world.database.pool.query('VACUUM ANALYZE topic_subscriptions')
    const plans = await plansOf(world.database.pool, 'topic_subscriptions', () =>
      client.ask('{ topicSubscriptions(first: 100, filter: { search: "erson-177" }) { nodes { id } } }'),
    )
    expect(plans).toEqual([expect.stringContaining('topic_subscriptions_search_idx')])
  })

  test.each([
    [
      'topics',
      '{ topics(first: 20) { nodes { subscriptions(first: 3) { nodes { id } } } } }',
      'topic_key_created_at_id_idx',
    ],
    [
      'subscribers',
      '{ subscribers(first: 20) { nodes { topicSubscriptions(first: 3) { nodes { id } } } } }',
      'subscriber_id_created_at_idx',
    ],
  ])('is listed under many %s in backward scans of the index', async (_name, query, index) => {
    const plans = await plansOf(world.database.pool, 'topic_subscriptions', () => client.ask(query))
    expect(plans).toEqual([
      expect.stringContaining(`Index Scan Backward using topic_subscriptions_environment_id_${index}`),
    ])
    expect(plans[0]).not.toMatch(/Sort|Filter|Seq Scan/)
  })

  test('costs two statements to list with topics, for 5 subscribers as for 100', async () => {
    interface Listed {
      readonly subscribers: { readonly nodes: readonly { readonly topicSubscriptions: { readonly nodes: unknown } }[] }
    }
    const costOf = async (first: number) => {
      let nodes: Listed['subscribers']['nodes'] = []
      const statements = await statementsOf(async () => {
        const { subscribers } = await client.ask<Listed>(
          `{ subscribers(first: ${first}) { nodes { topicSubscriptions(first: 10) { nodes { topic { key } } } } } }`,
        )
        nodes = subscribers.nodes
      })
      expect(nodes).toHaveLength(first)
      for (const { topicSubscriptions } of nodes) expect(topicSubscriptions.nodes).toHaveLength(10)
      return statements.filter((text) => !/"api_keys"|"environments"/.test(text)).length
    }
    expect([await costOf(5), await costOf(20), await costOf(100)]).toEqual([2, 2, 2])
  })

  test('costs no other statement for pageInfo', async () => {
    const { topicSubscriptions } = await client.ask(
      '{ topicSubscriptions(first: 1, filter: { subscriberId: "person-3" }) { pageInfo { endCursor } } }',
    )
    const costOf = async (first: number, fields: string) => {
      const statements = await statementsOf(() =>
        client.ask(
          `query ($after: String) { subscribers(first: ${first}) { nodes {
            topicSubscriptions(first: 3, after: $after) { ${fields} }
          } } }`,
          { after: topicSubscriptions.pageInfo.endCursor },
        ),
      )
      return statements.filter((text) => !/"api_keys"|"environments"/.test(text)).length
    }
    expect([await costOf(5, 'nodes { id }'), await costOf(50, 'nodes { id }')]).toEqual([2, 2])
    const pageInfo = 'pageInfo { hasPreviousPage hasNextPage }'
    expect([await costOf(5, pageInfo), await costOf(50, pageInfo)]).toEqual([2, 2])
  })

  test('costs one statement for each kind of edge, however many subscriptions there are', async () => {
    interface Listed {
      readonly topics: {
        readonly nodes: readonly {
          readonly subscriptions: {
            readonly totalCount: number
            readonly nodes: readonly { readonly preferences: unknown }[]
          }
        }[]
      }
    }
    const costOf = async (first: number) => {
      let nodes: Listed['topics']['nodes'] = []
      const statements = await statementsOf(async () => {
        const { topics } = await client.ask<Listed>(`{ topics(first: ${first}) { nodes { subscriptions(first: 5) {
          totalCount
          nodes {
            subscriber { id }
            contexts { id }
            preferences { ... on TopicSubscriptionWorkflowPreference { workflow { identifier } } }
          }
        } } } }`)
        nodes = topics.nodes
      })
      expect(nodes.length).toBeGreaterThan(0)
      for (const { subscriptions } of nodes) {
        expect(subscriptions.totalCount).toBe(people)
        expect(subscriptions.nodes[0]?.preferences).toEqual([{ workflow: { identifier: 'digest' } }])
      }
      return statements.filter((text) => !/"api_keys"|"environments"/.test(text)).length
    }
    // Topics, a page and a count of subscriptions, subscribers, contexts, preferences, workflows.
    expect([await costOf(5), await costOf(50)]).toEqual([7, 7])
  })
})
