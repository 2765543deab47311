// The facts about a query depend on everything from which they were computed.
import { beforeAll, expect, test } from 'vitest'
import { codesOf, post } from '../support/http.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld()
let client: Client

beforeAll(async () => {
  client = await world.environment()
})

const codes = async (query: string, variables: Record<string, unknown>) =>
  (await client.send(query, variables)).errors.map(({ extensions }) => extensions?.['code'])

test('the cost of a query follows its page sizes, whatever they were in earlier requests', async () => {
  const query = `query ($size: Int, $inner: Int = 100) {
    subscribers(first: $size) { nodes { topicSubscriptions(first: $inner) { nodes { topic { id } subscriber { id } } } } }
  }`
  for (const [size, code] of [
    [100, ['QUERY_TOO_COSTLY']],
    [1, []],
    [100, ['QUERY_TOO_COSTLY']],
    [1, []],
    [null, []],
  ] as const) {
    expect(await codes(query, { size, inner: 100 })).toEqual(code)
  }
})

test('the cost of a query follows the length of a list of ids', async () => {
  const query = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Subscriber {
    topicSubscriptions(first: 100) { nodes { topic { id } subscriber { id } contexts { id } } }
  } } }`
  const { createSubscriber } = await client.ask(
    'mutation { createSubscriber(input: { subscriberId: "ada" }) { subscriber { id } } }',
  )
  const ids = (count: number) => Array.from({ length: count }, () => createSubscriber.subscriber.id)
  expect(await codes(query, { ids: ids(1) })).toEqual([])
  expect(await codes(query, { ids: ids(100) })).toEqual(['QUERY_TOO_COSTLY'])
  expect(await codes(query, { ids: ids(1) })).toEqual([])
})

test('each operation of a document has its own variables and rates', async () => {
  const query = `query Read($key: String!) { topic(key: $key) { id } }
    mutation Write($input: CreateTopicInput!) { createTopic(input: $input) { userErrors { code } } }`
  const send = (operationName: string, variables: object) =>
    post(world, { query, operationName, variables }, { authorization: `ApiKey ${client.key}` })
  for (let count = 0; count < 2; count += 1) {
    expect(codesOf(await send('Read', { key: 'a' }))).toEqual([])
    expect(codesOf(await send('Write', { input: { key: `a${count}` } }))).toEqual([])
    expect((await send('Read', {})).errors).toMatchObject([{ message: expect.stringContaining('"$key"') }])
    expect((await send('Neither', {})).errors).toHaveLength(1)
  }
})
