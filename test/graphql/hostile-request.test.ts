// Requests that are meant to be expensive, and their short responses.
import { describe, expect, test } from 'vitest'
import { MAX_VALUES, MAX_VARIABLE_ERRORS } from '../../src/graphql/pipeline/variable-limits.ts'
import { codesOf, post, type RawAnswer } from '../support/http.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const MAX_ANSWER = 20_000
const sizeOf = ({ text }: RawAnswer) => Buffer.byteLength(text)
const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ')

/** An object with this many unknown fields. */
const unknownFields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`unknown${i}`, 'x'.repeat(10)]))

const nodes = 'query ($i: [ID!]!) { nodes(ids: $i) { id } }'
const filtered = 'query ($f: SubscriberFilter) { subscribers(filter: $f) { totalCount } }'

describe('variables', () => {
  test.each([
    ['150,000 nulls', nodes, { i: Array(150_000).fill(null) }],
    ['55,000 unknown fields of an input', filtered, { f: unknownFields(55_000) }],
    ['lists of lists', nodes, { i: Array(30_000).fill([[[]]]) }],
    [
      'an object of 55,000 fields instead of a number',
      'query ($n: Int) { subscribers(first: $n) { totalCount } }',
      { n: unknownFields(55_000) },
    ],
    [
      '100,000 inputs',
      'mutation ($s: [NewSubscriberInput!]!) { createSubscribers(input: { subscribers: $s }) { userErrors { code } } }',
      { s: Array(100_000).fill({}) },
    ],
  ])('are rejected with one error: %s', async (_case, query, variables) => {
    const answer = await post(world, { query, variables })
    expect(answer.status).toBe(400)
    expect(answer.errors).toEqual([
      {
        message: `The variables have more than ${MAX_VALUES} values: send fewer at a time`,
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ])
  })

  test.each([
    ['4 MB of nulls', { i: Array(800_000).fill(null) }],
    ['a million ids', { i: Array(900_000).fill('a') }],
    ['lists of lists', { i: Array(200_000).fill([[[]]]) }],
    ['a list of 3 MB instead of an object', { d: Array(1_000_000).fill(1) }],
    ['100,000 unknown fields of an input', { f: unknownFields(100_000) }],
  ])('are not parsed: %s', async (_case, variables) => {
    const answer = await post(world, { query: nodes, variables })
    expect(answer.status).toBe(400)
    expect(answer.errors).toEqual([
      {
        message: expect.stringMatching(
          /^The body has more than \d+ (values and|different) field names: send fewer at a time$/,
        ),
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ])
  })

  test.each([
    ['40,000 nulls', nodes, { i: Array(40_000).fill(null) }],
    ['40,000 unknown fields of an input', filtered, { f: unknownFields(40_000) }],
    [
      '600 missing variables',
      `query (${times(600, (i) => `$v${i}: ID!`)}) { nodes(ids: [${times(600, (i) => `$v${i}`)}]) { id } }`,
      {},
    ],
    ['a field with a name of 3 MB', filtered, { f: { ['x'.repeat(3_000_000)]: 1 } }],
    ['a text of 3 MB', 'query ($n: Int) { subscribers(first: $n) { totalCount } }', { n: 'x'.repeat(3_000_000) }],
    [
      'a list of 100,000 numbers instead of an object',
      'mutation ($d: JSONObject) { createContext(input: { type: "a", identifier: "b", data: $d }) { userErrors { code } } }',
      { d: Array(100_000).fill(1) },
    ],
  ])('are rejected with few short errors: %s', async (_case, query, variables) => {
    const answer = await post(world, { query, variables })
    expect(answer.status).toBe(400)
    expect(answer.errors.length).toBeLessThanOrEqual(MAX_VARIABLE_ERRORS)
    for (const { message } of answer.errors) expect(message.length).toBeLessThanOrEqual(200)
    expect(new Set(codesOf(answer))).toContain('BAD_USER_INPUT')
    expect(sizeOf(answer)).toBeLessThan(MAX_ANSWER)
  })

  test('are bounded for callers without a key, by POST and in a subscription', async () => {
    const { environment } = await world.development.ask('{ environment { identifier } }')
    const authorization = `Environment ${environment.identifier}`
    const variables = { i: Array(100_000).fill(null) }
    for (const query of [
      nodes,
      'subscription ($i: String!) { notificationCountsChanged(subscriberId: $i) { unread } }',
    ]) {
      const answer = await post(world, { query, variables }, { authorization, accept: 'text/event-stream' })
      expect(sizeOf(answer)).toBeLessThan(1_000)
      expect(answer.text).toContain('more than 50000 values')
    }
  })

  test('may hold a bulk of 500 subscribers with all fields', async () => {
    const subscribers = Array.from({ length: 500 }, (_, i) => ({
      subscriberId: `full-${i}`,
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: `ada-${i}@example.com`,
      phone: '+4915123456789',
      avatar: 'https://example.com/ada.png',
      locale: 'en_US',
      timezone: 'Europe/London',
      data: Object.fromEntries(Array.from({ length: 300 }, (_, key) => [`key${key}`, key])),
    }))
    const payload = await world.development.act('createSubscribers', { subscribers }, 'created failed { message }')
    expect(payload).toMatchObject({ failed: [], userErrors: [] })
    expect(payload.created).toHaveLength(500)
  })

  test('may hold a bulk of 100 triggers with 100 recipients each, and large payloads', async () => {
    const to = Array.from({ length: 100 }, (_, i) => ({ subscriber: { subscriberId: `recipient-${i}` } }))
    const payload = { values: Array(3_000).fill(1) }
    const events = Array(100).fill({ workflowIdentifier: 'missing', to, payload })
    const query =
      'mutation ($e: [TriggerInput!]!) { triggerEvents(input: { events: $e }) { results { errors } userErrors { message } } }'
    const { errors } = await post(world, { query, variables: { e: events } })
    expect(errors).toEqual([])
  })

  test('keep the errors of ordinary mistakes', async () => {
    const query = 'query ($f: SubscriberFilter, $n: Int!) { subscribers(filter: $f, first: $n) { totalCount } }'
    const { errors } = await post(world, { query, variables: { f: { serch: 'ada' }, n: 'ten' } })
    expect(errors).toEqual([
      {
        message:
          'Variable "$f" got invalid value an object; Field "serch" is not defined by type "SubscriberFilter". Did you mean "search"?',
        locations: [{ line: 1, column: 8 }],
        extensions: { code: 'BAD_USER_INPUT' },
      },
      {
        message: 'Variable "$n" got invalid value "ten"; Int cannot represent non-integer value: "ten"',
        locations: [{ line: 1, column: 30 }],
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ])
  })
})

describe('a response that only reports errors is short', () => {
  const long = 'x'.repeat(20_000)

  test.each([
    ['4,000 unknown fields', `{ ${times(4_000, (i) => `unknown${i}`)} }`],
    ['unknown fields with long names', `{ ${times(4, (i) => `${long}${i}`)} }`],
    ['unknown types with long names', `query (${times(4, (i) => `$v${i}: ${long}${i}`)}) { __typename }`],
    ['a syntax error after a long name', `{ ${long} ] ${long} }`],
    ['a long string that is no page size', `{ subscribers(first: "${long}${long}${long}") { totalCount } }`],
    ['a long invalid enum value', `{ subscribers(orderBy: { field: ${long}, direction: ${long} }) { totalCount } }`],
    [
      'fields that conflict',
      `{ ${times(90, (i) => `a: ${i % 2 === 0 ? 'environment { name }' : 'subscribers { totalCount }'}`)} }`,
    ],
    ['a long argument of a query', `{ context(key: "${long}${long}${long}") { id } topic(key: "${long}") { id } }`],
  ])('for %s', async (_case, query) => {
    const answer = await post(world, { query })
    expect(answer.errors.length).toBeGreaterThan(0)
    expect(answer.errors.length).toBeLessThanOrEqual(21)
    expect(sizeOf(answer)).toBeLessThan(MAX_ANSWER)
  })

  test('for an unknown parameter with a long name', async () => {
    const answer = await post(world, { query: '{ __typename }', ['x'.repeat(1_000_000)]: 1 })
    expect(codesOf(answer)).toEqual(['BAD_USER_INPUT'])
    expect(sizeOf(answer)).toBeLessThan(MAX_ANSWER)
  })

  test('for many fields that fail without any data', async () => {
    const query = `{ ${times(100, (i) => `a${i}: topic(key: "k${i}") { id }`)} }`
    const { environment } = await world.development.ask('{ environment { identifier } }')
    const answer = await post(world, { query }, { authorization: `Environment ${environment.identifier}` })
    expect(answer.errors.length).toBeGreaterThan(0)
    expect(sizeOf(answer)).toBeLessThan(MAX_ANSWER)
  })

  test('for a mutation with many invalid values', async () => {
    const tags = Array(50).fill('x'.repeat(65))
    const input = { identifier: 'many', name: 'Many', tags }
    const { userErrors } = await world.development.act('createWorkflow', input)
    expect(userErrors.length).toBeGreaterThan(1)
    expect(userErrors.at(-1)?.message).toMatch(/^and \d+ more invalid values$/)
    expect(JSON.stringify(userErrors).length).toBeLessThan(MAX_ANSWER)
  })
})

describe('a REST response that only reports errors is short', () => {
  const trigger = { name: 'welcome', to: 'ada' }

  test.each([
    ['100,000 numbers instead of texts', 'POST /v1/events/trigger', { ...trigger, to: Array(100_000).fill(1) }],
    ['800,000 nulls', 'POST /v1/events/trigger', { ...trigger, exclude: Array(800_000).fill(null) }],
    ['100,000 unknown fields', 'POST /v1/topics', unknownFields(100_000)],
    ['100,000 contexts', 'POST /v1/events/trigger', { ...trigger, context: unknownFields(100_000) }],
    ['a long identifier', 'POST /v2/topics', { key: 'x'.repeat(1_000_000) }],
    [
      '100,000 tags',
      'POST /v2/workflows',
      { name: 'a', workflowId: 'a', tags: Array(100_000).fill(1), steps: Array(100_000).fill(1) },
    ],
  ] as const)('for %s', async (_case, target, body) => {
    const answer = await world.development.rest(target, { body })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
    expect(Buffer.byteLength(JSON.stringify(answer.body))).toBeLessThan(MAX_ANSWER)
  })

  test('for a path of 100,000 characters', async () => {
    const answer = await world.development.rest(`GET /v2/topics/${'x'.repeat(100_000)}`)
    expect(answer.status).toBe(414)
    expect(JSON.stringify(answer.body).length).toBeLessThan(MAX_ANSWER)
  })

  test('and contains the number of further errors', async () => {
    const tags = Array(50).fill('x'.repeat(65))
    const { status, body } = await world.development.rest('POST /v2/workflows', {
      body: { name: 'Many', workflowId: 'many', tags, steps: [] },
    })
    expect(status).toBe(422)
    expect(body.errors['tags.0']?.messages).toEqual(['tags[0] must be at most 64 characters long'])
    expect(body.errors['']?.messages).toEqual([expect.stringMatching(/^and \d+ more invalid values$/)])
  })
})

describe('response keys', () => {
  test('are in the order of the query, whichever value arrives first', async () => {
    await world.development.act('upsertSubscriber', { subscriberId: 'ordered', firstName: 'Ada' })
    const query = `{
      subscribers(first: 1, filter: { search: "ordered" }) {
        ...Page
        edges { node { id subscriberId topicSubscriptions { totalCount nodes { identifier } } ...Name id } cursor }
        pageInfo { hasNextPage }
        totalCount
      }
      __typename
      environment { id name }
      again: __typename
    }
    fragment Page on SubscriberConnection { pageInfo { hasPreviousPage } }
    fragment Name on Subscriber { lastName ... { firstName channelEndpoints { pageInfo { hasNextPage } } } }`
    const { text } = await post(world, { query })
    const shape = text.replaceAll(/"(id|cursor)":"[^"]*"/g, '"$1":""')
    expect(shape).toBe(
      '{"data":{"subscribers":{"pageInfo":{"hasPreviousPage":false,"hasNextPage":false},' +
        '"edges":[{"node":{"id":"","subscriberId":"ordered","topicSubscriptions":{"totalCount":0,"nodes":[]},' +
        '"lastName":null,"firstName":"Ada","channelEndpoints":{"pageInfo":{"hasNextPage":false}}},"cursor":""}],' +
        '"totalCount":1},"__typename":"Query","environment":{"id":"","name":"Development"},"again":"Query"}}',
    )
  })
})
