// Lists of channel endpoints: filters, pages, edges and database cost.
import { beforeAll, describe, expect, test } from 'vitest'
import { decodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { cursorsOf } from '../../src/lib/cursor.ts'
import { plansOf, statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()

interface Node {
  readonly identifier: string
}

const identifiersOf = (nodes: readonly Node[]) => nodes.map(({ identifier }) => identifier)

const [tenant, app] = [
  { type: 'tenant', identifier: 'acme' },
  { type: 'app', identifier: 'shop' },
]

/** Creates Ada and Grace with three endpoints each. Oldest first: a, b, c, d, e, f. */
async function populated(): Promise<Client> {
  const client = await world.environment()
  for (const subscriberId of ['ada', 'grace']) await client.act('createSubscriber', { subscriberId })
  for (const providerId of ['SLACK', 'TELEGRAM', 'TWILIO', 'TOOL_WEBHOOK']) {
    await client.act('createIntegration', { identifier: providerId.toLowerCase(), providerId })
  }
  const phone = { phoneNumber: '+4915123456789' }
  for (const [identifier, subscriberId, integrationIdentifier, endpoint, more] of [
    ['a', 'ada', 'slack', { workspaceChatUser: { userId: 'U1' } }, { contexts: [tenant, app] }],
    ['b', 'ada', 'telegram', { messengerChat: { chatId: '1' } }, { contexts: [tenant] }],
    ['c', 'ada', 'twilio', { phone }, { connectionIdentifier: 'line-1' }],
    ['d', 'grace', 'slack', { workspaceChatChannel: { channelId: 'C1' } }, { contexts: [app, tenant] }],
    ['e', 'grace', 'twilio', { phone }, { connectionIdentifier: 'line-2' }],
    ['f', 'grace', 'tool_webhook', { toolWebhook: { url: 'https://tools.example.com/' } }, {}],
  ] as const) {
    const input = { identifier, subscriberId, integrationIdentifier, endpoint, ...more }
    expect((await client.act('createChannelEndpoint', input)).userErrors).toEqual([])
  }
  return client
}

const list = `query ($filter: ChannelEndpointFilter, $first: Int, $after: String, $last: Int, $before: String) {
  channelEndpoints(filter: $filter, orderBy: { direction: ASC }, first: $first, after: $after, last: $last, before: $before) {
    totalCount totalCountCapped
    nodes { identifier }
    pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
  }
}`

describe('a list of channel endpoints', () => {
  let client: Client
  beforeAll(async () => {
    client = await populated()
  })

  test.each([
    [{}, 'abcdef'],
    [{ subscriberId: 'ada' }, 'abc'],
    [{ channel: 'CHAT' }, 'abd'],
    [{ channel: 'EMAIL' }, ''],
    [{ providerId: 'SLACK' }, 'ad'],
    [{ integrationIdentifier: 'twilio' }, 'ce'],
    [{ connectionIdentifier: 'line-2' }, 'e'],
    [{ type: 'PHONE' }, 'ce'],
    [{ type: 'TOOL_WEBHOOK' }, 'f'],
    [{ subscriberIds: ['grace', 'ada', 'grace'], channels: ['CHAT', 'SMS'] }, 'abcde'],
    [{ providerIds: ['SLACK', 'TELEGRAM'], subscriberId: 'ada' }, 'ab'],
    [{ integrationIdentifiers: ['slack', 'tool_webhook', 'nothing'] }, 'adf'],
    [{ types: ['PHONE', 'MESSENGER_CHAT'], contextKeys: [] }, 'ce'],
    [{ channel: 'CHAT', channels: ['SMS', 'TOOL'] }, ''],
    [{ contextKeys: ['tenant:acme', 'app:shop'] }, 'ad'],
    [{ contextKeys: ['app:shop', 'tenant:acme'] }, 'ad'],
    [{ contextKeys: ['tenant:acme'] }, 'b'],
    [{ contextKeys: ['app:shop'] }, ''],
    [{ contextKeys: [] }, 'cef'],
    [{ contextKeys: null, subscriberId: null }, 'abcdef'],
    [{ contextKeys: [], subscriberId: 'grace', channel: 'SMS' }, 'e'],
  ])('filtered by %j contains exactly the matching endpoints', async (filter, expected) => {
    const { channelEndpoints } = await client.ask(list, { filter })
    expect(identifiersOf(channelEndpoints.nodes).join('')).toBe(expected)
    expect(channelEndpoints).toMatchObject({ totalCount: expected.length, totalCountCapped: false })
  })

  test.each([
    [{ contextKeys: [] }, ['ce', 'f']],
    [{ contextKeys: ['app:shop', 'tenant:acme'] }, ['ad']],
    [{ subscriberId: 'ada' }, ['ab', 'c']],
  ])('filtered by %j stays filtered on every page, forwards and backwards', async (filter, pages) => {
    let page: { readonly after: string | null } = { after: null }
    for (const [index, expected] of pages.entries()) {
      const { channelEndpoints } = await client.ask(list, { filter, first: 2, ...page })
      expect(identifiersOf(channelEndpoints.nodes).join('')).toBe(expected)
      expect(channelEndpoints.pageInfo).toMatchObject({
        hasNextPage: index < pages.length - 1,
        hasPreviousPage: index > 0,
      })
      page = { after: channelEndpoints.pageInfo.endCursor }
    }
    const last = (await client.ask(list, { filter, last: 1 })).channelEndpoints
    const before = last.pageInfo.startCursor
    const rest = (await client.ask(list, { filter, last: 100, before })).channelEndpoints
    expect(identifiersOf([...rest.nodes, ...last.nodes]).join('')).toBe(pages.join(''))
  })

  test('rejects an invalid context key and names its position', async () => {
    const { errors } = await client.send(list, { filter: { contextKeys: ['tenant:acme', 'acme'] } })
    expect(errors).toMatchObject([
      {
        message: 'filter.contextKeys[1] must have the form <type>:<id>, such as tenant:acme',
        extensions: { code: 'BAD_USER_INPUT', field: ['filter', 'contextKeys', '1'] },
      },
    ])
  })

  test('is empty in another environment', async () => {
    const { channelEndpoints } = await (await world.environment()).ask(list)
    expect(channelEndpoints).toMatchObject({ nodes: [], totalCount: 0 })
  })

  test('is available on subscribers and integrations with the same filters', async () => {
    const data = await client.ask(`{
      subscriber(subscriberId: "ada") {
        all: channelEndpoints(orderBy: { direction: ASC }) { totalCount nodes { identifier } }
        none: channelEndpoints(filter: { contextKeys: [] }) { totalCount nodes { identifier } }
        exact: channelEndpoints(filter: { contextKeys: ["tenant:acme", "app:shop"] }) { nodes { identifier } }
        chat: channelEndpoints(filter: { channel: CHAT, type: MESSENGER_CHAT }) { nodes { identifier } }
      }
      integration(identifier: "slack") {
        all: channelEndpoints(orderBy: { direction: ASC }) { totalCount nodes { identifier } }
        graces: channelEndpoints(filter: { subscriberId: "grace", providerId: SLACK }) { nodes { identifier } }
      }
    }`)
    const found = (parent: Readonly<Record<string, { readonly nodes: readonly Node[] }>>) =>
      Object.fromEntries(Object.entries(parent).map(([alias, { nodes }]) => [alias, identifiersOf(nodes).join('')]))
    expect(found(data.subscriber)).toEqual({ all: 'abc', none: 'c', exact: 'a', chat: 'b' })
    expect(found(data.integration)).toEqual({ all: 'ad', graces: 'd' })
    expect(data.subscriber.all.totalCount).toBe(3)
    expect(data.subscriber.none.totalCount).toBe(1)
  })

  test('of a subscriber stays filtered on the next page', async () => {
    const page = `query ($after: String) { subscriber(subscriberId: "grace") {
      channelEndpoints(filter: { contextKeys: [] }, orderBy: { direction: ASC }, first: 1, after: $after) {
        nodes { identifier } pageInfo { endCursor hasNextPage }
      }
    } }`
    const first = (await client.ask(page)).subscriber.channelEndpoints
    expect(first).toMatchObject({ nodes: [{ identifier: 'e' }], pageInfo: { hasNextPage: true } })
    const second = (await client.ask(page, { after: first.pageInfo.endCursor })).subscriber.channelEndpoints
    expect(second).toMatchObject({ nodes: [{ identifier: 'f' }], pageInfo: { hasNextPage: false } })
  })
})

describe('a large list of channel endpoints', () => {
  const rows = 20_000
  let client: Client
  let environmentId: string

  beforeAll(async () => {
    client = await world.environment()
    environmentId = decodeNodeId((await client.ask('{ environment { id } }')).environment.id).id
    await client.act('createIntegration', { identifier: 'chat', providerId: 'TELEGRAM' })
    const { pool } = world.database
    await pool.query(
      `INSERT INTO subscribers (environment_id, id, subscriber_id, data, created_at, updated_at)
       SELECT $1, gen_random_uuid(), 'person-' || n, '{}', now() - n * interval '1 second', now()
       FROM generate_series(1, 200) n`,
      [environmentId],
    )
    await pool.query(
      `INSERT INTO channel_endpoints (environment_id, id, identifier, channel, provider_id, integration_identifier,
                                      subscriber_id, context_keys, type, endpoint, created_at, updated_at)
       SELECT $1, gen_random_uuid(), 'endpoint-' || n, 'chat', 'telegram', 'chat', 'person-' || 1 + n % 200,
              CASE WHEN n % 2 = 0 THEN '{}' ELSE ARRAY['tenant:t' || n % 100] END, 'messenger_chat', '{"chatId": "1"}',
              at, at
       FROM generate_series(1, $2::int) n, LATERAL (SELECT timestamptz '2026-01-01' + n * interval '1 second' AS at) time`,
      [environmentId, rows],
    )
    await pool.query('ANALYZE')
  })

  test('filtered by context keys reads only the page from its index', async () => {
    for (const contextKeys of [['tenant:t7'], []]) {
      const [page, ...others] = await plansOf(world.database.pool, 'channel_endpoints', () =>
        client.ask('query ($filter: ChannelEndpointFilter) { channelEndpoints(filter: $filter) { nodes { id } } }', {
          filter: { contextKeys },
        }),
      )
      expect(others).toEqual([])
      expect(page).toMatch(/Index Scan Backward using channel_endpoints_environment_id_context_keys_created_at_id_idx/)
      expect(page).not.toMatch(/Sort|Filter/)
    }
  })

  test('reads the page of each of several subscribers from an index', async () => {
    const subscriberIds = ['person-1', 'person-2']
    const [page, ...others] = await plansOf(world.database.pool, 'channel_endpoints', () =>
      client.ask('query ($filter: ChannelEndpointFilter) { channelEndpoints(filter: $filter) { nodes { id } } }', {
        filter: { subscriberIds },
      }),
    )
    expect(others).toEqual([])
    expect(
      page?.match(/Scan Backward using channel_endpoints_environment_id_subscriber_id_created_at_i_idx/g),
    ).toHaveLength(2)
    expect(page).not.toMatch(/Filter/)
  })

  test('starts a deep page at its position in the index', async () => {
    const { rows: found } = await world.database.pool.query(
      'SELECT id, created_at FROM channel_endpoints WHERE environment_id = $1 AND identifier = $2',
      [environmentId, `endpoint-${rows / 2}`],
    )
    const list = { name: 'channelEndpoints', ownerId: environmentId }
    const place = { id: found[0].id, at: found[0].created_at }
    const after = cursorsOf(list, 'createdAt').encode(place)
    let nodes: readonly Node[] = []
    const [page] = await plansOf(world.database.pool, 'channel_endpoints', async () => {
      const data = await client.ask(
        'query ($after: String) { channelEndpoints(first: 2, after: $after) { nodes { identifier } } }',
        { after },
      )
      nodes = data.channelEndpoints.nodes
    })
    expect(identifiersOf(nodes)).toEqual([`endpoint-${rows / 2 - 1}`, `endpoint-${rows / 2 - 2}`])
    expect(page).toMatch(/Index Scan Backward using channel_endpoints_environment_id_created_at_id_idx/)
    expect(page).toMatch(/Index Cond: .*ROW\(created_at, id\) < /)
    expect(page).not.toMatch(/Sort/)
  })

  test('costs the same six statements for 5 subscribers as for 100, including all edges', async () => {
    interface Listed {
      readonly subscribers: {
        readonly nodes: readonly {
          readonly channelEndpoints: { readonly totalCount: number; readonly nodes: readonly Node[] }
        }[]
      }
    }
    const costOf = async (first: number) => {
      const page = `{ subscribers(first: ${first}) { nodes { channelEndpoints(first: 3) {
        totalCount
        nodes { identifier endpoint { ... on MessengerChat { chatId } } subscriber { id } integration { id } contexts { id } }
      } } } }`
      let data: Listed | undefined
      const statements = await statementsOf(async () => {
        data = await client.ask<Listed>(page)
      })
      expect(data?.subscribers.nodes).toHaveLength(first)
      for (const { channelEndpoints } of data?.subscribers.nodes ?? []) {
        expect(channelEndpoints.totalCount).toBe(rows / 200)
        expect(channelEndpoints.nodes).toHaveLength(3)
      }
      return statements.length
    }
    const few = await costOf(5)
    expect(await costOf(100)).toBe(few)
    // Subscribers, page of endpoints, count of endpoints, and one for each of the three edges.
    expect(few).toBe(6)
  })
})

test('an endpoint says that its provider does not deliver to its type, and is created as specified', async () => {
  const client = await world.environment()
  await client.act('createSubscriber', { subscriberId: 'ada' })
  for (const providerId of ['MSTEAMS', 'SLACK', 'RYVER']) {
    await client.act('createIntegration', { identifier: providerId.toLowerCase(), providerId })
  }
  const endpoints = [
    { integrationIdentifier: 'slack', type: 'office_chat_channel', endpoint: { teamId: 't', channelId: 'c' } },
    { integrationIdentifier: 'slack', type: 'office_chat_user', endpoint: { userId: 'u' } },
    { integrationIdentifier: 'msteams', type: 'office_chat_channel', endpoint: { teamId: 't', channelId: 'c' } },
    { integrationIdentifier: 'msteams', type: 'office_chat_user', endpoint: { userId: 'u' } },
    { integrationIdentifier: 'ryver', type: 'webhook', endpoint: { url: 'https://example.com/1' } },
    { integrationIdentifier: 'msteams', type: 'webhook', endpoint: { url: 'https://example.com/2' } },
  ]
  for (const endpoint of endpoints) {
    const body = { subscriberId: 'ada', ...endpoint }
    expect(await client.rest('POST /v1/channel-endpoints', { body })).toMatchObject({ status: 201, body })
  }
  const { channelEndpoints } = await client.ask(
    '{ channelEndpoints(orderBy: { direction: ASC }) { nodes { obstacle } } }',
  )
  expect(channelEndpoints.nodes.map(({ obstacle }) => obstacle)).toEqual([
    'The provider slack does not deliver to endpoints of type office_chat_channel.',
    'The provider slack does not deliver to endpoints of type office_chat_user.',
    null,
    null,
    'This gateway does not implement the provider ryver.',
    null,
  ])
})
