// Each step of the pipeline at each door. A door that left out a step would respond differently to one of these
// operations.
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import type { Replica } from '../../src/data/replica/replica.ts'
import { createDoorScope } from '../../src/domain/resolver/door-scope.ts'
import { createMask } from '../../src/graphql/pipeline/errors.ts'
import { parseBounded } from '../../src/graphql/pipeline/document-limits.ts'
import { createPipeline } from '../../src/graphql/pipeline/pipeline.ts'
import { schema } from '../../src/graphql/graph/schema.ts'
import { authenticate } from '../../src/http/authenticate.ts'
import { createRateLimiter } from '../../src/http/rate-limit.ts'
import { RateMeter } from '../../src/http/rate-meter.ts'
import { RequestRecord } from '../../src/http/request-record.ts'
import { post, request } from '../support/http.ts'
import { definitions } from '../../src/metrics/definitions.ts'
import { growth } from '../support/scrape.ts'
import { listen, transports } from '../support/transports.ts'
import { type Client, type GraphqlError, useWorld, type World } from '../support/world.ts'

const { rejections } = definitions
const rates = { trigger: 60, configuration: 20, global: 4 }
const noon = new Date('2027-03-01T12:00:00Z')
const long = 'a'.repeat(5_000)
const page = 'first: 100'

interface Step {
  readonly query: string
  readonly subscription: string
  readonly variables?: Record<string, unknown>
  /** The code of the error. */
  readonly code: string
}

const counts = 'notificationCountsChanged(subscriberId: "ada")'

/** Steps before the execution of a valid document. Trusted documents are valid. */
const executed: Readonly<Record<string, Step>> = {
  variables: {
    query: 'query ($first: Int) { subscribers(first: $first) { nodes { id } } }',
    subscription: `subscription ($skip: Boolean!) { ${counts} { unread @skip(if: $skip) total } }`,
    variables: { first: 'many', skip: 'never' },
    code: 'BAD_USER_INPUT',
  },
  cost: {
    query: `{ subscribers(${page}) { nodes { topicSubscriptions(${page}) { nodes { topic { subscriptions(${page}) { nodes { id } } } } } } } }`,
    subscription: `subscription { notificationReceived(subscriberId: "ada") { subscriber { topicSubscriptions(${page}) { nodes { topic { subscriptions(${page}) { nodes { topic { subscriptions(${page}) { nodes { id } } } } } } } } } } }`,
    code: 'QUERY_TOO_COSTLY',
  },
  mask: {
    query: '{ subscribers(first: -1) { nodes { id } } }',
    subscription: 'subscription { notificationCountsChanged(subscriberId: "nobody") { unread } }',
    code: 'BAD_USER_INPUT',
  },
}

const parsed: Readonly<Record<string, Step>> = {
  parse: { query: '{', subscription: 'subscription {', code: 'GRAPHQL_PARSE_FAILED' },
  limits: {
    query: `{ ${Array.from({ length: 101 }, (_, index) => `a${index}: __typename`).join(' ')} }`,
    subscription: `subscription { ${counts} { ${Array.from({ length: 101 }, (_, index) => `a${index}: unread`).join(' ')} } }`,
    code: 'TOO_MANY_ALIASES',
  },
  validate: { query: '{ nothing }', subscription: 'subscription { nothing }', code: 'GRAPHQL_VALIDATION_FAILED' },
}

const sizes: Step = {
  query: `{ ${long}: subscribers(first: -1) { nodes { id } } }`,
  subscription: `subscription { ${long}: notificationCountsChanged(subscriberId: "nobody") { unread } }`,
  code: 'BAD_USER_INPUT',
}
const plain = '{ environment { name } }'
const many = `{ ${Array.from({ length: 54 }, (_, index) => `e${index}: environment { name }`).join(' ')} }`

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const folder = mkdtempSync(path.join(tmpdir(), 'pipeline-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = path.join(folder, 'trusted.json')
const listed = [...Object.values(executed), sizes].map(({ query }) => query)
writeFileSync(file, JSON.stringify(Object.fromEntries([...listed, plain, many].map((query) => [sha256(query), query]))))

const open = useWorld({ rates })
const trusting = useWorld({ rates, trustedDocuments: file, trustedDocumentsOnly: true })
afterEach(() => {
  for (const world of [open, trusting]) world.setClock(undefined)
})

type Result = Readonly<{ data?: unknown; errors?: readonly GraphqlError[] }>
type Send = (world: World, client: Client, query: string, variables: Record<string, unknown>) => Promise<Result>

const keyOf = ({ key }: Client) => ({ authorization: `ApiKey ${key}` })
const named = (query: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: sha256(query) } } })

const doors: readonly [string, World, Send][] = [
  [
    'POST',
    open,
    async (world, client, query, variables) =>
      JSON.parse((await post(world, { query, variables }, keyOf(client))).text),
  ],
  [
    'a persisted query',
    open,
    async (world, client, query, variables) =>
      JSON.parse((await post(world, { variables, ...named(query) }, keyOf(client))).text),
  ],
  [
    'a trusted document',
    trusting,
    async (world, client, query, variables) =>
      JSON.parse((await post(world, { documentId: sha256(query), variables }, keyOf(client))).text),
  ],
  [
    'GET',
    open,
    async (world, client, query, variables) => {
      const search = new URLSearchParams({ query, variables: JSON.stringify(variables) })
      const headers = { ...keyOf(client), accept: 'application/json' }
      return JSON.parse((await request(world, { headers }, `?${search.toString()}`)).text)
    },
  ],
  [
    'a stream of one result',
    open,
    async (world, client, query, variables) => {
      const headers = { ...keyOf(client), accept: 'text/event-stream', 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify({ query, variables }) }
      const { text } = await request(world, init)
      // A rejection before the stream begins is JSON.
      const [, data = text] = /data: (\{.*)\n/.exec(text) ?? []
      return JSON.parse(data)
    },
  ],
]

/** The doors of subscriptions. */
const streams = transports.filter(([name]) => name !== 'multipart')

/** A client whose queries are registered. Where only trusted documents are accepted, none can create an environment. */
async function clientFor(world: World, ...queries: string[]): Promise<Client> {
  const client = world === trusting ? world.development : await world.environment()
  for (const query of queries) await post(world, { query, ...named(query) }, keyOf(client))
  return client
}

const codesOf = ({ errors = [] }: Result) => errors.map(({ extensions }) => extensions?.['code'])

describe.each(doors)('%s', (name, world, send) => {
  const steps = Object.entries(name === 'a trusted document' ? executed : { ...parsed, ...executed })

  test.each(steps)(
    'runs the step %s, and reports its rejections once',
    async (_step, { query, variables = {}, code }) => {
      const client = await clientFor(world, query)
      let result: Result = {}
      const reported = await growth(world, rejections.name, async () => {
        result = await send(world, client, query, variables)
      })
      expect(codesOf(result), JSON.stringify(result)).toEqual([code])
      expect(reported).toEqual({ [`{door="graphql",code="${code}"}`]: 1 })
    },
  )

  test('limits the size of errors', async () => {
    const result = await send(world, await clientFor(world, sizes.query), sizes.query, {})
    expect(result.errors).toHaveLength(1)
    expect(JSON.stringify(result.errors).length).toBeLessThan(4_000)
  })

  test('draws the rates of its fields, and executes', async () => {
    const client = await clientFor(world, plain, many)
    world.setClock(noon)
    expect(await send(world, client, plain, {})).toMatchObject({ data: { environment: { name: expect.any(String) } } })
    // The remaining calls of 110, after the call before and these.
    for (let left = 2; left > 0; left -= 1) expect(codesOf(await send(world, client, many, {}))).toEqual([])
    expect(codesOf(await send(world, client, plain, {}))).toEqual([])
    expect(codesOf(await send(world, client, plain, {}))).toEqual(['RATE_LIMITED'])
  })
})

describe.each(streams)('a subscription over %s', (_name, follow) => {
  test.each(Object.entries({ ...parsed, ...executed }))(
    'runs the step %s, and reports its rejections once',
    async (step, { subscription, variables = {}, code }) => {
      const client = await open.environment()
      await client.act('createSubscriber', { subscriberId: 'ada' })
      const address = await listen(open)
      let result: Result | undefined
      const reported = await growth(open, rejections.name, async () => {
        const stream = await follow(address, `ApiKey ${client.key}`, { query: subscription, variables })
        result = await stream.next()
      })
      const expected = step === 'mask' ? 'NOT_FOUND' : code
      expect(codesOf(result ?? {}), JSON.stringify(result)).toEqual([expected])
      expect(reported).toEqual({ [`{door="graphql",code="${expected}"}`]: 1 })
    },
  )

  test('limits the size of errors', async () => {
    const client = await open.environment()
    const stream = await follow(await listen(open), `ApiKey ${client.key}`, { query: sizes.subscription })
    const result = await stream.next()
    expect(result?.errors).toHaveLength(1)
    expect(JSON.stringify(result?.errors).length).toBeLessThan(4_000)
  })
})

test('a query asks for the replica, a mutation does not', async () => {
  const caller = await authenticate(open.gateway, new Headers(keyOf(open.development)))
  let asked = 0
  const replica: Replica = {
    clientFor() {
      asked += 1
      return Promise.resolve(undefined)
    },
    written: () => Promise.resolve(),
    lag: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
  }
  const logger = pino({ level: 'silent' })
  const mask = createMask(logger)
  const rateLimiter = createRateLimiter({ rates: 'off', now: open.gateway.now, logger })
  const pipeline = createPipeline({ suggestions: true, mask, metrics: open.gateway.metrics })
  const record = new RequestRecord(undefined, new Headers())
  const run = (query: string) =>
    pipeline.run(
      { schema, document: parseBounded(query).document },
      {
        scope: createDoorScope({ ...open.gateway, replica }, caller),
        meter: new RateMeter(rateLimiter, undefined),
        record,
        recheck: () => Promise.resolve(),
        received: new Request('http://gateway.test/graphql'),
      },
    )
  expect(await run(plain)).not.toHaveProperty('errors')
  expect(asked).toBe(1)
  await run('mutation { deleteSubscriber(input: { subscriberId: "nobody" }) { userErrors { code } } }')
  expect(asked).toBe(1)
})
