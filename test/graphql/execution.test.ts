// Operations over HTTP have the results that graphql-js computes with the same resolvers, down to the order of the keys.
import { execute as oracle, parse } from 'graphql'
import { beforeAll, expect, test } from 'vitest'
import { createDoorScope } from '../../src/domain/resolver/door-scope.ts'
import { schema } from '../../src/graphql/graph/schema.ts'
import { authenticate } from '../../src/http/authenticate.ts'
import type { DataOf } from '../support/graph.ts'
import { post } from '../support/http.ts'
import { type GraphqlError, useWorld } from '../support/world.ts'

const world = useWorld()
let ids: readonly string[] = []

beforeAll(async () => {
  const { development } = world
  const subscriptions = ['exec-ada', 'exec-bob'].map((subscriberId) => ({ subscriberId }))
  for (const { subscriberId } of subscriptions) {
    await development.act('createSubscriber', {
      subscriberId,
      data: { plan: ['pro', { since: 1815 }] },
    })
  }
  for (const topicKey of ['exec-news', 'exec-jobs']) {
    await development.act('createTopicSubscriptions', { topicKey, subscriptions })
  }
  await development.act('createIntegration', { identifier: 'exec-chat', providerId: 'SLACK' })
  for (const endpoint of [{ workspaceChatUser: { userId: 'U1' } }, { workspaceChatChannel: { channelId: 'C1' } }]) {
    await development.act('createChannelEndpoint', {
      subscriberId: 'exec-ada',
      integrationIdentifier: 'exec-chat',
      endpoint,
    })
  }
  const data = await development.ask(
    '{ a: subscriber(subscriberId: "exec-ada") { id } topic(key: "exec-news") { id } }',
  )
  ids = [data.a.id, data.topic.id]
})

interface Result<Data> {
  readonly data: Data
  readonly errors?: readonly (GraphqlError & { readonly locations?: unknown })[]
}

/** A result as texts, which keep the order of keys. The order of errors is that in which the database answers. */
const partsOf = ({ data, errors = [] }: Result<unknown>) => ({
  data: JSON.stringify(data),
  errors: errors.map(({ message, path, locations }) => JSON.stringify({ message, path, locations })).sort(),
})

/** Executes a query over HTTP and with graphql-js. @returns the answer. */
async function answerTo<const Query extends string>(
  query: Query,
  variables: Record<string, unknown> = {},
): Promise<Result<DataOf<Query>>> {
  const headers = new Headers({ authorization: `ApiKey ${world.development.key}` })
  const scope = createDoorScope(world.gateway, await authenticate(world.gateway, headers))
  const answer = JSON.parse((await post(world, { query, variables })).text) as Result<DataOf<Query>>
  const expected = await oracle({ schema, document: parse(query), variableValues: variables, contextValue: { scope } })
  expect(partsOf(answer)).toEqual(partsOf(JSON.parse(JSON.stringify(expected)) as Result<unknown>))
  return answer
}

const ada = (fields: string) => `subscriber(subscriberId: "exec-ada") { ${fields} }`
const tooMany = 'topicSubscriptions(first: 1000) { nodes { id } }'

test('lists, objects, enums, dates and JSON are the same and in the order of the query', async () => {
  const { data } = await answerTo(`query ($first: Int = 2) {
    subscribers(first: $first) {
      pageInfo { endCursor hasNextPage startCursor }
      edges { cursor node { createdAt data id topicSubscriptions(first: $first, orderBy: { direction: ASC }) {
        totalCount nodes { topic { key name } contextKeys identifier } edges { node { topic { id } } }
      } } }
    }
    __typename
  }`)
  expect(data.subscribers.edges).toHaveLength(2)
  expect(data.subscribers.edges[0].node.topicSubscriptions.nodes).toHaveLength(2)
})

test('fragments, aliases and repeated fields are merged', async () => {
  const { data } = await answerTo(
    `query ($id: ID!) {
      node(id: $id) { id ...named ... on Topic { key } }
      other: node(id: $id) { ... on Subscriber { name: subscriberId topicSubscriptions(first: 1) { nodes { id } } } ...named }
    }
    fragment named on Subscriber { topicSubscriptions(first: 1) { nodes { identifier } } __typename __proto__: locale }`,
    { id: ids[0] },
  )
  expect(Object.keys(data.other)).toEqual(['name', 'topicSubscriptions', '__typename', '__proto__'])
})

test('the members of a union and of an interface have their own fields', async () => {
  const { data } = await answerTo(
    `query ($ids: [ID!]!) {
      channelEndpoints(filter: { subscriberId: "exec-ada" }) {
        nodes { endpoint { __typename ... on WorkspaceChatUser { userId } ... on WorkspaceChatChannel { channelId } } }
      }
      nodes(ids: $ids) { id ... on Subscriber { subscriberId } ... on Topic { key } }
    }`,
    { ids: [...ids, Buffer.from('Topic:019e0000-0000-7000-8000-000000000000').toString('base64')] },
  )
  expect(data.nodes).toEqual([
    expect.objectContaining({ subscriberId: 'exec-ada' }),
    expect.objectContaining({ key: 'exec-news' }),
    null,
  ])
})

test('@skip and @include follow the variables of each request', async () => {
  const query = `query ($with: Boolean!, $without: Boolean = false) {
    ${ada('id email @include(if: $with) ... @skip(if: $without) { subscriberId } ...more @include(if: $with)')}
  } fragment more on Subscriber { locale }`
  const keysWith = async (variables: Record<string, unknown>) => {
    const { data } = await answerTo(query, variables)
    return Object.keys((data as { readonly subscriber: object }).subscriber)
  }
  expect(await keysWith({ with: true })).toEqual(['id', 'email', 'subscriberId', 'locale'])
  expect(await keysWith({ with: false })).toEqual(['id', 'subscriberId'])
  expect(await keysWith({ with: true, without: true })).toEqual(['id', 'email', 'locale'])
})

test('arguments follow the variables of each request', async () => {
  const query = `query ($id: String!, $first: Int) {
    subscriber(subscriberId: $id) { subscriberId topicSubscriptions(first: $first) { nodes { identifier } } }
  }`
  const { data } = await answerTo(query, { id: 'exec-ada', first: 1 })
  expect(data.subscriber.topicSubscriptions.nodes).toHaveLength(1)
  expect((await answerTo(query, { id: 'exec-bob' })).data.subscriber.topicSubscriptions.nodes).toHaveLength(2)
  expect((await answerTo(query, { id: 'exec-nobody' })).data.subscriber).toBeNull()
})

test('introspection is the same', async () => {
  const { data } = await answerTo(`{
    __schema { queryType { name } types { name kind fields { name type { name ofType { name } } args { name defaultValue } } } }
    __type(name: "Endpoint") { possibleTypes { name } }
  }`)
  expect((data.__type as { readonly possibleTypes: unknown[] }).possibleTypes.length).toBeGreaterThan(10)
})

test('an error nulls the nearest nullable field, and has its path and location', async () => {
  const { data, errors } = await answerTo(`{ ${ada(`id ${tooMany}`)} topic(key: "exec-news") { key } }`)
  expect(data).toEqual({ subscriber: null, topic: { key: 'exec-news' } })
  expect(errors).toMatchObject([{ path: ['subscriber', 'topicSubscriptions'], locations: [{ line: 1 }] }])
})

test('an error in a list nulls the nullable item', async () => {
  const { data, errors } = await answerTo(
    `query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Subscriber { ${tooMany} } } }`,
    { ids },
  )
  expect(data.nodes).toEqual([null, { id: ids[1] }])
  expect(errors).toMatchObject([{ path: ['nodes', 0, 'topicSubscriptions'] }])
})

test('an error in a field without a nullable parent leaves no data', async () => {
  const { data, errors } = await answerTo(
    `{ subscribers(first: 2) { nodes { id ${tooMany} } } topics { nodes { key } } }`,
  )
  expect(data).toBeNull()
  expect(errors).toHaveLength(1)
})

test('each field that is null has its own error', async () => {
  const { data, errors } = await answerTo(`{
    a: ${ada(tooMany)} b: topic(key: "exec-news") { subscriptions(first: -1) { nodes { id } } }
    c: ${ada('topicSubscriptions(after: "x") { nodes { id } }')} d: subscriber(subscriberId: "exec-bob") { id }
  }`)
  expect(data).toMatchObject({ a: null, b: null, c: null, d: { id: expect.any(String) } })
  expect(errors).toHaveLength(3)
})

test('the fields of a mutation run one after the other', async () => {
  const { data } = await world.development.send(`mutation {
    a: createSubscriber(input: { subscriberId: "exec-eve", locale: "en" }) { subscriber { locale } userErrors { code } }
    b: updateSubscriber(input: { subscriberId: "exec-eve", locale: "fr" }) { userErrors { code } subscriber { locale } }
    c: deleteSubscriber(input: { subscriberId: "exec-eve" }) { userErrors { code } }
    d: updateSubscriber(input: { subscriberId: "exec-eve", locale: "de" }) { subscriber { locale } userErrors { code } }
  }`)
  expect(JSON.stringify(data)).toBe(
    JSON.stringify({
      a: { subscriber: { locale: 'en' }, userErrors: [] },
      b: { userErrors: [], subscriber: { locale: 'fr' } },
      c: { userErrors: [] },
      d: { subscriber: null, userErrors: [{ code: 'NOT_FOUND' }] },
    }),
  )
})

test('a mutation ends with the first field that fails', async () => {
  const client = await world.environment()
  const { data, errors } = await client.send(`mutation {
    first: createSubscriber(input: { subscriberId: "exec-first" }) { userErrors { code } }
    second: createApiKey(input: { name: "more", access: ADMIN }) { userErrors { code } }
    third: createSubscriber(input: { subscriberId: "exec-third" }) { userErrors { code } }
  }`)
  expect(data).toBeNull()
  expect(errors).toMatchObject([{ path: ['second'], extensions: { code: 'FORBIDDEN' } }])
  const { subscribers } = await client.ask('{ subscribers { nodes { subscriberId } } }')
  expect(subscribers.nodes).toEqual([{ subscriberId: 'exec-first' }])
})
