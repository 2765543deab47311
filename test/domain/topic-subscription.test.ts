// Topic subscriptions: creation, preferences, updates and deletion.
import { describe, expect, test } from 'vitest'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()

const people = (names: readonly string[]) => names.map((subscriberId) => ({ subscriberId }))

/** Creates an environment with these subscribers. */
async function home(...names: string[]): Promise<Client> {
  const client = await world.environment()
  if (names.length > 0) await client.act('createSubscribers', { subscribers: people(names) })
  return client
}

type Created<Fields extends string> =
  `topicSubscriptions { ${Fields} } failed { index subscriberId identifier code message }`

const create = <const Fields extends string = 'identifier'>(
  client: Client,
  input: Record<string, unknown>,
  fields?: Fields,
) =>
  client.act(
    'createTopicSubscriptions',
    { topicKey: 'releases', ...input },
    `topicSubscriptions { ${fields ?? 'identifier'} } failed { index subscriberId identifier code message }` as Created<Fields>,
  )

const count = async (client: Client) =>
  (await client.ask('{ topicSubscriptions { totalCount } }')).topicSubscriptions.totalCount

const preferenceFields = `
  preferences {
    __typename
    ... on TopicSubscriptionWorkflowPreference { workflow { identifier } enabled condition }
    ... on TopicSubscriptionGroupPreference { workflows { identifier } tags enabled condition }
  }`

describe('createTopicSubscriptions', () => {
  test('creates the topic and generates identifiers in the documented format', async () => {
    const client = await home('ada', 'grace')
    const made = await create(
      client,
      { subscriptions: people(['ada', 'grace']), name: 'By email' },
      'identifier name contextKeys topic { key name } subscriber { subscriberId }',
    )
    expect(made.failed).toEqual([])
    expect(made.topicSubscriptions).toEqual(
      ['ada', 'grace'].map((subscriberId) => ({
        identifier: `tk=releases:si=${subscriberId}`,
        name: 'By email',
        contextKeys: [],
        topic: { key: 'releases', name: null },
        subscriber: { subscriberId },
      })),
    )
  })

  test('creates contexts on first use and sorts their keys in the identifier', async () => {
    const client = await home('ada')
    const made = await create(
      client,
      {
        subscriptions: people(['ada']),
        contexts: [
          { type: 'tenant', identifier: 'acme', data: { plan: 'pro' } },
          { type: 'app', identifier: 'web' },
        ],
      },
      'identifier contextKeys contexts { key data }',
    )
    expect(made.topicSubscriptions).toEqual([
      {
        identifier: 'tk=releases:si=ada:ctx=app:web,tenant:acme',
        contextKeys: ['app:web', 'tenant:acme'],
        contexts: [
          { key: 'app:web', data: {} },
          { key: 'tenant:acme', data: { plan: 'pro' } },
        ],
      },
    ])
  })

  test('allows a row to override the generated identifier and the shared name', async () => {
    const client = await home('ada')
    const made = await create(
      client,
      { subscriptions: [{ subscriberId: 'ada', identifier: 'mine', name: 'Mine' }], name: 'All' },
      'identifier name',
    )
    expect(made.topicSubscriptions).toEqual([{ identifier: 'mine', name: 'Mine' }])
    const data = await client.ask('{ topicSubscription(topicKey: "releases", identifier: "mine") { name } }')
    expect(data.topicSubscription).toEqual({ name: 'Mine' })
  })

  test('returns an existing subscription unchanged', async () => {
    const client = await home('ada')
    const first = await create(client, { subscriptions: people(['ada']), name: 'First' }, 'id name')
    const again = await create(client, { subscriptions: people(['ada', 'ada']), name: 'Second' }, 'id name')
    expect(again.topicSubscriptions).toEqual([...first.topicSubscriptions, ...first.topicSubscriptions])
    expect(await count(client)).toBe(1)
  })

  test('fails a row whose identifier belongs to another subscriber or other contexts', async () => {
    const client = await home('ada', 'grace')
    await create(client, { subscriptions: [{ subscriberId: 'ada', identifier: 'x' }] })
    const grace = await create(client, { subscriptions: [{ subscriberId: 'grace', identifier: 'x' }] })
    const message = 'Topic "releases" has a subscription "x" with another subscriber or other contexts'
    expect(grace).toMatchObject({
      topicSubscriptions: [],
      failed: [{ index: 0, subscriberId: 'grace', identifier: 'x', code: 'IDENTIFIER_TAKEN', message }],
    })
    const elsewhere = await create(client, {
      subscriptions: [{ subscriberId: 'ada', identifier: 'x' }],
      contexts: [{ type: 'tenant', identifier: 'acme' }],
    })
    expect(elsewhere.failed).toMatchObject([{ code: 'IDENTIFIER_TAKEN', message }])
    expect(await count(client)).toBe(1)
  })

  test('fails only the row of an unknown subscriber', async () => {
    const client = await home('ada', 'grace')
    const made = await create(client, { subscriptions: people(['ada', 'nobody', 'grace']) })
    expect(made.topicSubscriptions).toHaveLength(2)
    expect(made.failed).toEqual([
      {
        index: 1,
        subscriberId: 'nobody',
        identifier: 'tk=releases:si=nobody',
        code: 'SUBSCRIBER_NOT_FOUND',
        message: 'Subscriber "nobody" not found',
      },
    ])
  })

  test('creates no topic and no contexts when every row fails', async () => {
    const client = await home()
    const contexts = [{ type: 'tenant', identifier: 'acme' }]
    const made = await create(client, { subscriptions: people(['nobody']), contexts })
    expect(made).toMatchObject({ topicSubscriptions: [], failed: [{ code: 'SUBSCRIBER_NOT_FOUND' }] })
    expect(await client.ask('{ topics { totalCount } contexts { totalCount } }')).toEqual({
      topics: { totalCount: 0 },
      contexts: { totalCount: 0 },
    })
  })

  test('allows at most ten subscriptions per subscriber and topic', async () => {
    const client = await home('ada')
    const rows = Array.from({ length: 12 }, (_, n) => ({ subscriberId: 'ada', identifier: `s${n}` }))
    const made = await create(client, { subscriptions: rows })
    expect(made.topicSubscriptions).toHaveLength(10)
    const message = 'Subscriber "ada" already has 10 subscriptions to the topic "releases", the maximum'
    expect(made.failed).toMatchObject([
      { index: 10, code: 'LIMIT_REACHED', message },
      { index: 11, code: 'LIMIT_REACHED', message },
    ])
    expect((await create(client, { topicKey: 'outages', subscriptions: people(['ada']) })).failed).toEqual([])
  })

  test.each([
    ['a bad topic key', { topicKey: 'a b' }, 'topicKey', 'topicKey must be letters'],
    ['no rows', { subscriptions: [] }, 'subscriptions', 'subscriptions must be at least 1 item long'],
    ['101 rows', { subscriptions: people(Array<string>(101).fill('ada')) }, 'subscriptions', 'at most 100 items long'],
    [
      'an empty identifier',
      { subscriptions: [{ subscriberId: 'ada', identifier: '' }] },
      'subscriptions.0.identifier',
      'must not be empty',
    ],
    [
      'a context type that is named twice',
      { contexts: ['a', 'b'].map((identifier) => ({ type: 'tenant', identifier })) },
      'contexts.1.type',
      'contexts[1].type must not repeat the type "tenant"',
    ],
    [
      'six contexts',
      { contexts: Array.from({ length: 6 }, (_, n) => ({ type: `t${n}`, identifier: 'x' })) },
      'contexts',
      'contexts must be at most 5 items long',
    ],
    [
      'a bad context',
      { contexts: [{ type: 'tenant', identifier: 'a b' }] },
      'contexts.0.identifier',
      'must be 1 to 100 letters',
    ],
  ])('rejects %s and writes nothing', async (_name, given, field, message) => {
    const client = await home('ada')
    const refused = await create(client, { subscriptions: people(['ada']), ...given })
    expect(refused).toMatchObject({
      topicSubscriptions: null,
      userErrors: [{ code: 'BAD_USER_INPUT', field: field.split('.'), message: expect.stringContaining(message) }],
    })
    expect(await client.ask('{ topics { totalCount } contexts { totalCount } }')).toEqual({
      topics: { totalCount: 0 },
      contexts: { totalCount: 0 },
    })
  })

  test('creates one subscription for twenty concurrent requests', async () => {
    const client = await home('ada')
    const all = await Promise.all(
      Array.from({ length: 20 }, () => create(client, { subscriptions: people(['ada']) }, 'id')),
    )
    expect(new Set(all.map(({ topicSubscriptions }) => topicSubscriptions[0].id)).size).toBe(1)
    expect(await count(client)).toBe(1)
  })

  test('enforces the limit across twenty concurrent requests', async () => {
    const client = await home('ada')
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        create(client, { subscriptions: [{ subscriberId: 'ada', identifier: `s${n}` }] }),
      ),
    )
    expect(all.flatMap(({ failed }) => failed).filter(({ code }) => code === 'LIMIT_REACHED')).toHaveLength(10)
    expect(await count(client)).toBe(10)
  })

  test('assigns an identifier to one of two concurrent requests and creates no context for the other', async () => {
    const client = await home('ada', 'grace')
    const all = await Promise.all(
      ['ada', 'grace'].map((subscriberId) =>
        create(client, {
          subscriptions: [{ subscriberId, identifier: 'x' }],
          contexts: [{ type: 'tenant', identifier: `of-${subscriberId}` }],
        }),
      ),
    )
    expect(all.flatMap(({ topicSubscriptions }) => topicSubscriptions)).toHaveLength(1)
    const [loser, ...others] = all.flatMap(({ failed }) => failed)
    expect(others).toEqual([])
    expect(loser).toMatchObject({ code: 'IDENTIFIER_TAKEN' })
    const { contexts } = await client.ask('{ contexts { nodes { identifier } } }')
    expect(contexts.nodes).toEqual([{ identifier: loser?.subscriberId === 'ada' ? 'of-grace' : 'of-ada' }])
  })
})

describe('topic subscription preferences', () => {
  const condition = { and: [{ '>': [{ var: 'payload.total' }, 10] }] }

  /** Creates an environment with Ada and two workflows. */
  async function withWorkflows() {
    const client = await home('ada')
    const ids: Record<string, string> = {}
    for (const identifier of ['digest', 'outage']) {
      const { workflow } = await client.act('createWorkflow', { identifier, name: identifier }, 'workflow { id }')
      ids[identifier] = workflow.id
    }
    return { client, ids }
  }

  const preferencesAfter = async (client: Client, preferences: unknown) => {
    const made = await create(client, { subscriptions: people(['ada']), preferences }, preferenceFields)
    expect(made.userErrors).toEqual([])
    return made.topicSubscriptions[0].preferences
  }

  test('apply to a workflow or a group, with an optional condition, and keep their order', async () => {
    const { client } = await withWorkflows()
    expect(
      await preferencesAfter(client, [
        { group: { workflowIdentifiers: ['outage', 'digest'], tags: ['ops', 'ops'], enabled: false } },
        { workflowIdentifier: 'digest' },
        { workflow: { workflowIdentifier: 'outage', condition } },
        { group: { tags: ['billing'], condition } },
      ]),
    ).toEqual([
      {
        __typename: 'TopicSubscriptionGroupPreference',
        workflows: [{ identifier: 'outage' }, { identifier: 'digest' }],
        tags: ['ops'],
        enabled: false,
        condition: null,
      },
      {
        __typename: 'TopicSubscriptionWorkflowPreference',
        workflow: { identifier: 'digest' },
        enabled: true,
        condition: null,
      },
      {
        __typename: 'TopicSubscriptionWorkflowPreference',
        workflow: { identifier: 'outage' },
        enabled: true,
        condition,
      },
      { __typename: 'TopicSubscriptionGroupPreference', workflows: [], tags: ['billing'], enabled: true, condition },
    ])
  })

  test('accept the identifier, the node id and the UUID of a workflow', async () => {
    const { client, ids } = await withWorkflows()
    const nodeId = ids['digest'] ?? ''
    const rowId = Buffer.from(nodeId, 'base64').toString().replace('Workflow:', '')
    const found = await preferencesAfter(client, [
      { workflowIdentifier: 'digest' },
      { workflowIdentifier: nodeId },
      { workflowIdentifier: rowId },
    ])
    expect(found.map(({ workflow }: { workflow: unknown }) => workflow)).toEqual(
      Array(3).fill({ identifier: 'digest' }),
    )
  })

  test('ignore workflows that do not exist in the environment, and keep unused tags', async () => {
    const { client } = await withWorkflows()
    const there = await home()
    await there.act('createWorkflow', { identifier: 'theirs', name: 'Theirs' })
    expect(
      await preferencesAfter(client, [
        { workflowIdentifier: 'theirs' },
        { workflow: { workflowIdentifier: '00000000-0000-7000-8000-000000000000' } },
        { group: { workflowIdentifiers: ['theirs'] } },
        { group: { workflowIdentifiers: ['theirs', 'digest'], tags: ['nothing-has-it'] } },
      ]),
    ).toMatchObject([{ workflows: [{ identifier: 'digest' }], tags: ['nothing-has-it'] }])
  })

  test('no longer contain a deleted workflow', async () => {
    const { client } = await withWorkflows()
    await preferencesAfter(client, [
      { workflowIdentifier: 'digest' },
      { group: { workflowIdentifiers: ['digest', 'outage'] } },
      { workflowIdentifier: 'outage' },
    ])
    await client.act('deleteWorkflow', { identifier: 'digest' })
    const { topicSubscriptions } = await client.ask(`{ topicSubscriptions { nodes { ${preferenceFields} } } }`)
    expect(topicSubscriptions.nodes[0].preferences).toMatchObject([
      { workflows: [{ identifier: 'outage' }] },
      { workflow: { identifier: 'outage' } },
    ])
  })

  test.each([
    [
      'a group of nothing',
      { group: { workflowIdentifiers: [], tags: [] } },
      'preferences[0].group must name at least one workflow',
    ],
    [
      'an unknown operator',
      { workflow: { workflowIdentifier: 'digest', condition: { and: [{ shout: 1 }] } } },
      'preferences[0].workflow.condition.and[0] must not use the unknown operator "shout"',
    ],
    [
      'a prototype name',
      { group: { tags: ['a'], condition: { var: 'a.__proto__' } } },
      'preferences[0].group.condition.var must not name a variable with "__proto__"',
    ],
    ['an empty tag', { group: { tags: [''] } }, 'preferences[0].group.tags[0] must not be empty'],
  ])('reject %s and name its path', async (_name, entry, message) => {
    const { client } = await withWorkflows()
    const refused = await create(client, { subscriptions: people(['ada']), preferences: [entry] })
    expect(refused.userErrors).toEqual([
      expect.objectContaining({ code: 'BAD_USER_INPUT', message: expect.stringContaining(message) }),
    ])
    expect(await count(client)).toBe(0)
  })

  test('reject an entry with both workflowIdentifier and workflow', async () => {
    const { client } = await withWorkflows()
    const { errors } = await client.send(
      `mutation ($input: CreateTopicSubscriptionsInput!) { createTopicSubscriptions(input: $input) { userErrors { code } } }`,
      {
        input: {
          topicKey: 'k',
          subscriptions: people(['ada']),
          preferences: [{ workflowIdentifier: 'digest', workflow: { workflowIdentifier: 'digest' } }],
        },
      },
    )
    expect(errors).toHaveLength(1)
    expect(await count(client)).toBe(0)
  })

  test('have at most 100 entries', async () => {
    const { client } = await withWorkflows()
    const preferences = Array(101).fill({ workflowIdentifier: 'digest' })
    const refused = await create(client, { subscriptions: people(['ada']), preferences })
    expect(refused.userErrors).toMatchObject([{ message: 'preferences must be at most 100 items long' }])
  })
})

describe('updateTopicSubscription', () => {
  const identifier = 'tk=releases:si=ada'
  const change = (client: Client, given: Record<string, unknown>) =>
    client.act(
      'updateTopicSubscription',
      { topicKey: 'releases', identifier, ...given },
      `topicSubscription { name createdAt updatedAt ${preferenceFields} }`,
    )

  test('keeps absent fields, clears null or empty ones, and replaces whole lists', async () => {
    const client = await home('ada')
    world.setClock(new Date('2026-01-01T00:00:00Z'))
    await create(client, {
      subscriptions: people(['ada']),
      name: 'Name',
      preferences: [{ group: { tags: ['a'] } }, { group: { tags: ['b'] } }],
    })
    world.setClock(new Date('2026-01-02T00:00:00Z'))
    const renamed = await change(client, { name: 'New' })
    expect(renamed.topicSubscription).toMatchObject({
      name: 'New',
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-02T00:00:00.000Z',
      preferences: [{ tags: ['a'] }, { tags: ['b'] }],
    })
    const replaced = await change(client, { preferences: [{ group: { tags: ['c'] } }] })
    expect(replaced.topicSubscription).toMatchObject({ name: 'New', preferences: [{ tags: ['c'] }] })
    world.setClock(new Date('2026-01-03T00:00:00Z'))
    expect(await change(client, {})).toEqual(replaced)
    const cleared = await change(client, { name: null, preferences: [] })
    expect(cleared.topicSubscription).toMatchObject({ name: null, preferences: [] })
    world.setClock(undefined)
  })

  test('changes nothing when a condition is invalid', async () => {
    const client = await home('ada')
    await create(client, { subscriptions: people(['ada']), name: 'Name', preferences: [{ group: { tags: ['a'] } }] })
    const refused = await change(client, { name: 'New', preferences: [{ group: { tags: ['b'], condition: {} } }] })
    expect(refused.userErrors).toMatchObject([{ code: 'BAD_USER_INPUT' }])
    const { topicSubscriptions } = await client.ask(`{ topicSubscriptions { nodes { name ${preferenceFields} } } }`)
    expect(topicSubscriptions.nodes).toMatchObject([{ name: 'Name', preferences: [{ tags: ['a'] }] }])
  })

  test('never mixes the preferences of concurrent requests', async () => {
    const client = await home('ada')
    await create(client, { subscriptions: people(['ada']) })
    await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        change(client, { preferences: [{ group: { tags: [`${n}`] } }, { group: { tags: [`${n}`] } }] }),
      ),
    )
    const { topicSubscriptions } = await client.ask(`{ topicSubscriptions { nodes { ${preferenceFields} } } }`)
    const tags = topicSubscriptions.nodes[0].preferences.map(({ tags }) => tags[0])
    expect(tags).toHaveLength(2)
    expect(tags[0]).toBe(tags[1])
  })

  test('does not find a subscription in another environment', async () => {
    const [here, there] = [await home('ada'), await home('ada')]
    const made = await create(there, { subscriptions: people(['ada']) }, 'id')
    expect((await change(here, { name: 'Mine' })).userErrors).toEqual([
      { code: 'NOT_FOUND', message: `Topic "releases" has no subscription "${identifier}"`, field: ['identifier'] },
    ])
    expect(
      await here.ask(
        `query ($id: ID!) { node(id: $id) { id } topicSubscription(topicKey: "releases", identifier: "${identifier}") { id } }`,
        made.topicSubscriptions[0],
      ),
    ).toEqual({ node: null, topicSubscription: null })
  })
})

describe('deleteTopicSubscriptions', () => {
  const end = (client: Client, subscriptions: unknown, topicKey = 'releases') =>
    client.act(
      'deleteTopicSubscriptions',
      { topicKey, subscriptions },
      'deletedIds failed { index subscriberId identifier code message }',
    )

  test('deletes by identifier or subscriber, and reports rows without a match', async () => {
    const client = await home('ada', 'grace', 'katherine')
    await create(client, {
      subscriptions: [
        { subscriberId: 'ada', identifier: 'a1' },
        { subscriberId: 'ada', identifier: 'a2' },
        { subscriberId: 'grace', identifier: 'g1' },
        { subscriberId: 'katherine', identifier: 'k1' },
      ],
    })
    const ended = await end(client, [
      { subscriberId: 'ada' },
      { identifier: 'g1' },
      { subscriberId: 'grace', identifier: 'k1' },
      { subscriberId: 'nobody' },
    ])
    expect(ended.deletedIds).toHaveLength(3)
    const code = 'SUBSCRIPTION_NOT_FOUND'
    expect(ended.failed).toEqual([
      { index: 2, subscriberId: 'grace', identifier: 'k1', code, message: 'Topic "releases" has no subscription "k1"' },
      {
        index: 3,
        subscriberId: 'nobody',
        identifier: null,
        code,
        message: 'Topic "releases" has no subscription of subscriber "nobody"',
      },
    ])
    const { topicSubscriptions } = await client.ask('{ topicSubscriptions { nodes { identifier } } }')
    expect(topicSubscriptions.nodes).toEqual([{ identifier: 'k1' }])
  })

  test('rejects a row without a subscriber or an identifier, and an unknown topic', async () => {
    const client = await home('ada')
    await create(client, { subscriptions: people(['ada']) })
    expect((await end(client, [{ subscriberId: 'ada' }, {}])).userErrors).toMatchObject([
      { code: 'BAD_USER_INPUT', message: 'subscriptions[1] must have a subscriberId or an identifier' },
    ])
    expect((await end(client, people(['ada']), 'nowhere')).userErrors).toEqual([
      { code: 'NOT_FOUND', message: 'Topic "nowhere" not found', field: ['topicKey'] },
    ])
    expect(await count(client)).toBe(1)
  })

  test('deleting a subscriber also deletes its subscriptions', async () => {
    const client = await home('ada')
    await create(client, { subscriptions: people(['ada']) })
    await client.act('deleteSubscriber', { subscriberId: 'ada' })
    expect(await count(client)).toBe(0)
  })
})
