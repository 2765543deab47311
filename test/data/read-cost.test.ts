// The statements of read requests, besides those that authenticate the caller.
import { beforeAll, describe, expect, test } from 'vitest'
import { statementsOf } from '../support/statements.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let gateway: Client

beforeAll(async () => {
  gateway = await world.environment()
  const subscribers = Array.from({ length: 30 }, (_, index) => ({ subscriberId: `user-${index}` }))
  await gateway.act('createSubscribers', { subscribers })
  for (const topicKey of ['news', 'jobs', 'offers']) {
    await gateway.act('createTopicSubscriptions', { topicKey, subscriptions: subscribers })
  }
  await gateway.act('createIntegration', { identifier: 'chat', providerId: 'SLACK' })
  for (const { subscriberId } of subscribers) {
    await gateway.act('createChannelEndpoint', {
      subscriberId,
      integrationIdentifier: 'chat',
      contexts: [{ type: 'tenant', identifier: 'acme' }],
      endpoint: { workspaceChatUser: { userId: 'U1' } },
    })
  }
})

/** The statements of `work`, sent after a request that reads nothing. */
async function readsOf(work: () => Promise<unknown>): Promise<string[]> {
  const { length: authenticating } = await statementsOf(() => gateway.ask('{ __typename }'))
  return (await statementsOf(work)).slice(authenticating)
}

const profile = 'id subscriberId firstName lastName email data createdAt'
const pageInfo = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor }'
const list = `query ($after: String) { subscribers(first: 20, after: $after) { edges { cursor node { ${profile} } } ${pageInfo} } }`

describe('a query', () => {
  test('for a page of subscribers sends one statement, at any depth', async () => {
    expect(await readsOf(() => gateway.ask(list))).toHaveLength(1)
    const { subscribers } = await gateway.ask(list)
    const after = subscribers.pageInfo.endCursor
    expect(await readsOf(() => gateway.ask(list, { after }))).toHaveLength(1)
  })

  test('for subscribers with their subscriptions and topics sends one statement for each list', async () => {
    const query = `{ subscribers(first: 20) { edges { node { id topicSubscriptions(first: 10) {
      edges { node { id contextKeys createdAt topic { id key name } } } pageInfo { hasNextPage endCursor }
    } } } ${pageInfo} } }`
    expect(await readsOf(() => gateway.ask(query))).toHaveLength(2)
  })

  test('for subscribers with the contexts of their preferences sends one statement for each', async () => {
    const query = '{ subscribers(first: 20) { nodes { id preferenceContexts { contextKeys } } } }'
    expect(await readsOf(() => gateway.ask(query))).toHaveLength(2)
  })

  test('for the endpoints of a context sends one statement', async () => {
    const query = `{ channelEndpoints(filter: { contextKeys: ["tenant:acme"] }, first: 100) {
      edges { cursor node { id subscriberId type endpoint { __typename } contextKeys createdAt } } ${pageInfo}
    } }`
    expect(await readsOf(() => gateway.ask(query))).toHaveLength(1)
  })

  test('for many nodes sends one statement for each type', async () => {
    const { subscribers, topics } = await gateway.ask('{ subscribers { nodes { id } } topics { nodes { id } } }')
    const ids = [...subscribers.nodes, ...topics.nodes].map(({ id }: { id: string }) => id)
    const read = () => gateway.ask('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids })
    expect(await readsOf(read)).toHaveLength(2)
  })
})

test.each([
  ['v2/contexts?limit=20', 'one statement', 1],
  ['v1/channel-endpoints?contextKeys=tenant:acme&limit=100', 'one statement', 1],
  ['v2/topics', 'one statement', 1],
  ['v1/integrations', 'one statement for them, one for their pauses and one for their circuits', 3],
] as const)('GET /%s sends %s, and one more if its count is not kept', async (path, _statements, count) => {
  world.setClock(new Date())
  try {
    expect(await readsOf(() => gateway.rest(`GET /${path}`))).toHaveLength(count + 1)
    expect(await readsOf(() => gateway.rest(`GET /${path}`))).toHaveLength(count)
  } finally {
    world.setClock(undefined)
  }
})

test('GET /v1/integrations sends one statement more if providers send reports, for the URLs of all of them', async () => {
  for (const identifier of ['one', 'two']) {
    await gateway.act('createIntegration', { identifier, providerId: 'POSTMARK' })
  }
  const path = 'GET /v1/integrations?providerId=postmark'
  const { body } = await gateway.rest(path)
  expect(body.data).toMatchObject([{ inboundWebhook: { url: null } }, { inboundWebhook: { url: null } }])
  expect(await readsOf(() => gateway.rest(path))).toHaveLength(4)
})

test('the columns that the database generates for searches are never read', async () => {
  const reads = await readsOf(() =>
    gateway.ask('{ subscribers { nodes { id } } subscriber(subscriberId: "user-1") { id } }'),
  )
  expect(reads).toHaveLength(2)
  for (const text of reads) expect(text).not.toMatch(/search_text|"name"/)
})
