// Rate limits: the headers, the rejections, and the buckets that processes share.
import { afterEach, describe, expect, test, vi } from 'vitest'
import { spendTokens } from '../../src/data/access/rate-limit-buckets.ts'
import { createRateLimiter, type RateLimiter } from '../../src/http/rate-limit.ts'
import { type Answer, type Client, useWorld } from '../support/world.ts'

const rates = { trigger: 60, configuration: 20, global: 4 }
const world = useWorld({ rates })
const noon = new Date('2027-03-01T12:00:00Z')
const later = (seconds: number) => new Date(noon.getTime() + seconds * 1000)

afterEach(() => {
  world.setClock(undefined)
  vi.restoreAllMocks()
})

const policy = (category: keyof typeof rates, cost: 'single' | 'bulk' = 'single') => {
  const { [category]: rate } = rates
  return `${rate * 5};w=5;burst=${rate * 5.5};comment="token bucket";category="${category}";cost="${cost}"`
}

const limitsOf = ({ headers }: Pick<Answer, 'headers'>) => ({
  limit: headers.get('RateLimit-Limit'),
  remaining: headers.get('RateLimit-Remaining'),
  reset: headers.get('RateLimit-Reset'),
  policy: headers.get('RateLimit-Policy'),
})

const oneCall = '{ environment { name } }'
const oneContext = '{ context(key: "tenant:acme") { key } }'
const bulk = `mutation ($input: CreateSubscribersInput!) { createSubscribers(input: $input) { created userErrors { message } } }`
const people = { input: { subscribers: [{ subscriberId: 'ada' }, { subscriberId: 'grace' }] } }

/** An operation that costs `calls` calls of the category `configuration`. */
const manyCalls = (calls: number) =>
  `{ ${Array.from({ length: calls }, (_, index) => `e${index}: environment { name }`).join(' ')} }`

/** A client that has used up the category `configuration`, with the clock stopped at noon. */
async function drained(): Promise<Client> {
  const client = await world.environment()
  world.setClock(noon)
  await client.ask(manyCalls(60))
  await client.ask(manyCalls(50))
  return client
}

describe('GraphQL rate limiting', () => {
  test('reports the limit, the remaining calls and the policy in headers', async () => {
    const client = await world.environment()
    world.setClock(noon)
    const answer = await client.send(oneCall)
    expect(limitsOf(answer)).toEqual({ limit: '100', remaining: '109', reset: '0', policy: policy('configuration') })
    expect(limitsOf(await client.send(oneContext))).toEqual({
      limit: '20',
      remaining: '21',
      reset: '0',
      policy: policy('global'),
    })
  })

  test('counts one call per response name, including aliases and fragments', async () => {
    const client = await world.environment()
    world.setClock(noon)
    const query = `
      query { one: environment { name } ...Two ...Two ... { three: environment { name } } one: environment { name } }
      fragment Two on Query { two: environment { name } ...Four }
      fragment Four on Query { four: environment { name } }`
    expect(limitsOf(await client.send(query)).remaining).toBe('106')
  })

  test('reports the category with the longest wait', async () => {
    const client = await drained()
    world.setClock(later(0.05))
    const answer = await client.send(`{ context(key: "tenant:acme") { key } environment { name } }`)
    expect(limitsOf(answer)).toEqual({ limit: '100', remaining: '0', reset: '1', policy: policy('configuration') })
  })

  test('counts one call for an invalid request', async () => {
    const client = await world.environment()
    world.setClock(noon)
    expect(limitsOf(await client.send('{ unknown }')).remaining).toBe('109')
    expect(limitsOf(await client.send('{ broken')).remaining).toBe('108')
    const response = await world.app.fetch(
      new Request('http://gateway.test/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `ApiKey ${client.key}` },
        body: '{',
      }),
    )
    expect(limitsOf(response)).toEqual({ limit: '100', remaining: '107', reset: '0', policy: policy('configuration') })
  })
})

describe('an environment that has used up a category', () => {
  test('gets 429 with Retry-After, and nothing runs', async () => {
    const client = await drained()
    const answer = await client.send(
      `mutation { createSubscriber(input: { subscriberId: "ada" }) { userErrors { message } } }`,
    )
    expect(answer).toMatchObject({
      status: 429,
      data: undefined,
      errors: [
        {
          message: 'Too many requests of the category "configuration". Try again in 1 second.',
          extensions: { code: 'RATE_LIMITED' },
        },
      ],
    })
    expect(answer.headers.get('Retry-After')).toBe('1')
    expect(limitsOf(answer)).toEqual({ limit: '100', remaining: '0', reset: '1', policy: policy('configuration') })
    world.setClock(later(1))
    expect(await client.ask('{ subscriber(subscriberId: "ada") { subscriberId } }')).toEqual({ subscriber: null })
  })

  test('is served again as its bucket refills', async () => {
    const client = await drained()
    expect((await client.send(manyCalls(40))).headers.get('Retry-After')).toBe('2')
    world.setClock(later(1.9))
    expect((await client.send(manyCalls(40))).status).toBe(429)
    world.setClock(later(2))
    expect((await client.send(manyCalls(40))).status).toBe(200)
    expect((await client.send(oneCall)).status).toBe(429)
    world.setClock(later(60))
    expect(limitsOf(await client.send(oneCall)).remaining).toBe('109')
  })

  test('can still make calls of other categories, and does not affect other environments', async () => {
    const client = await drained()
    expect((await client.send(oneCall)).status).toBe(429)
    expect((await client.send(oneContext)).status).toBe(200)
    expect((await world.production.send(oneCall)).status).toBe(200)
  })

  test('gets 429 for an operation that also uses another category, which is not charged', async () => {
    const client = await drained()
    const refused = await client.send(`{ context(key: "tenant:acme") { key } environment { name } }`)
    expect(refused.status).toBe(429)
    expect(limitsOf(refused).policy).toBe(policy('configuration'))
    expect(limitsOf(await client.send(oneContext)).remaining).toBe('21')
  })

  test('can retry later with the same idempotency key', async () => {
    const client = await drained()
    const create = `mutation { createSubscriber(input: { subscriberId: "ada" }) { subscriber { subscriberId } } }`
    const send = () => client.send(create, {}, { 'idempotency-key': 'ada-1' })
    expect((await send()).status).toBe(429)
    world.setClock(later(1))
    const served = await send()
    expect(served.data).toEqual({ createSubscriber: { subscriber: { subscriberId: 'ada' } } })
    expect(limitsOf(served).remaining).toBe('19')
    const replayed = await send()
    expect(replayed.headers.get('Idempotency-Replay')).toBe('true')
    expect(limitsOf(replayed).remaining).toBe('18')
  })

  test('is rejected before a transaction begins, even with an idempotency key', async () => {
    const client = await drained()
    const transaction = vi.spyOn(world.gateway.db, '$transaction')
    const create = `mutation { createSubscriber(input: { subscriberId: "ada" }) { userErrors { message } } }`
    const headers = { 'idempotency-key': 'ada-1' }
    expect(await client.send(create, {}, headers)).toMatchObject({
      status: 429,
      errors: [{ extensions: { code: 'RATE_LIMITED' } }],
    })
    expect((await client.rest('POST /v2/subscribers', { body: { subscriberId: 'ada' }, headers })).status).toBe(429)
    expect(transaction).not.toHaveBeenCalled()
    world.setClock(later(1))
    expect((await client.send(create, {}, headers)).status).toBe(200)
    expect(transaction).toHaveBeenCalled()
  })

  test('also gets 429 for a query that does not parse', async () => {
    const client = await drained()
    expect((await client.send('{ broken')).status).toBe(429)
  })
})

describe('a bulk mutation', () => {
  test('costs a hundred calls', async () => {
    const client = await world.environment()
    world.setClock(noon)
    expect(limitsOf(await client.send(bulk, people))).toEqual({
      limit: '100',
      remaining: '10',
      reset: '5',
      policy: policy('configuration', 'bulk'),
    })
    const refused = await client.send(bulk, people)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('Retry-After')).toBe('5')
    world.setClock(later(4.5))
    expect(await client.ask(bulk, people)).toMatchObject({ createSubscribers: { userErrors: [] } })
  })
})

describe('a caller without a valid key', () => {
  const guess = (address: string | undefined, key = 'not-a-key-of-anybody') =>
    world.app.fetch(
      new Request('http://gateway.test/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `ApiKey ${key}` },
        body: JSON.stringify({ query: oneCall }),
      }),
      { address },
    )

  test('draws on the limit of its IP address, and gets 429 after too many guesses', async () => {
    world.setClock(noon)
    const first = await guess('192.0.2.1')
    expect(first.status).toBe(401)
    expect(limitsOf(first)).toEqual({ limit: '20', remaining: '21', reset: '0', policy: policy('global') })
    const statuses = new Set<number>()
    for (let guesses = 0; guesses < 21; guesses += 1) statuses.add((await guess('192.0.2.1')).status)
    expect(statuses).toEqual(new Set([401]))

    const refused = await guess('192.0.2.1')
    expect(refused.status).toBe(429)
    expect(refused.headers.get('Retry-After')).toBe('1')
    expect(await refused.json()).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] })
    expect((await guess('192.0.2.2')).status).toBe(401)
    world.setClock(later(1))
    expect((await guess('192.0.2.1')).status).toBe(401)
  })

  test('does not lock out API key callers at the same address', async () => {
    world.setClock(noon)
    while ((await guess(undefined)).status === 401);
    expect((await guess(undefined, world.production.key)).status).toBe(200)
  })
})

describe('several processes on one database', () => {
  const warnings: unknown[] = []
  const logger = { warn: (warning: unknown) => warnings.push(warning) }
  const call = { category: 'trigger', cost: 1 } as const

  function createProcess(): RateLimiter {
    const { db, now } = world.gateway
    return createRateLimiter({
      rates,
      now,
      logger,
      share: (spendings, perSecond, at) => spendTokens(db, spendings, perSecond, at),
    })
  }

  async function newEnvironmentId(): Promise<string> {
    await world.environment()
    const { id } = await world.gateway.db.environment.findFirstOrThrow({ orderBy: { id: 'desc' } })
    return id
  }

  /** The number of calls allowed before the first rejection. */
  function drain(limiter: RateLimiter, environmentId: string): number {
    let calls = 0
    while (limiter.draw(environmentId, [call]).refusal === undefined) calls += 1
    return calls
  }

  const remaining = ({ headers }: ReturnType<RateLimiter['draw']>) => headers['RateLimit-Remaining']

  test('share one bucket', async () => {
    const environmentId = await newEnvironmentId()
    world.setClock(noon)
    const [ada, grace] = [createProcess(), createProcess()]
    for (let calls = 0; calls < 200; calls += 1) ada.draw(environmentId, [call])
    await ada.flush()
    expect(remaining(grace.draw(environmentId, [call]))).toBe('329')
    await grace.flush()
    expect(drain(grace, environmentId)).toBe(129)
    await grace.flush()
    expect(drain(ada, environmentId)).toBe(130)
    await ada.flush()

    // The excess is owed: the bucket held 330 calls, and 130 more were allowed.
    world.setClock(later(2))
    expect(ada.draw(environmentId, [call]).refusal?.retryAfter).toBe(1)
    world.setClock(later(3))
    expect(drain(ada, environmentId)).toBe(50)
  })

  test('include calls of other processes from before their own start', async () => {
    const environmentId = await newEnvironmentId()
    world.setClock(noon)
    const ada = createProcess()
    expect(drain(ada, environmentId)).toBe(330)
    await ada.close()
    const grace = createProcess()
    grace.draw(environmentId, [call])
    await grace.flush()
    expect(grace.draw(environmentId, [call]).refusal?.retryAfter).toBe(1)
    world.setClock(later(5))
    expect(drain(grace, environmentId)).toBe(299)
  })

  test('do not refill a bucket twice for the same interval when their clocks differ', async () => {
    const environmentId = await newEnvironmentId()
    const spend = async (tokens: number, at: Date) => {
      const spendings = [{ environmentId, category: 'trigger', tokens }]
      return (await spendTokens(world.gateway.db, spendings, rates, at))[0]?.missing
    }
    expect(await spend(330, noon)).toBe(330)
    expect(await spend(0, later(1))).toBe(270)
    expect(await spend(10, noon)).toBe(280)
    expect(await spend(0, later(1))).toBe(280)
  })

  test('do not recreate the bucket of a deleted environment', async () => {
    const environmentId = await newEnvironmentId()
    world.setClock(noon)
    const ada = createProcess()
    ada.draw(environmentId, [call])
    await ada.flush()
    const { db } = world.gateway
    expect(await db.rateLimitBucket.count({ where: { environmentId } })).toBe(1)
    await db.environment.delete({ where: { id: environmentId } })
    ada.draw(environmentId, [call])
    await ada.flush()
    expect(await db.rateLimitBucket.count({ where: { environmentId } })).toBe(0)
    expect(warnings).toEqual([])
  })

  test('enforce the limits independently while the database is unavailable', async () => {
    world.setClock(noon)
    const limiter = createRateLimiter({
      rates,
      now: world.gateway.now,
      logger,
      share: () => Promise.reject(new Error('connect ECONNREFUSED')),
    })
    expect(drain(limiter, 'alone')).toBe(330)
    await limiter.close()
    expect(warnings).toHaveLength(1)
    expect(limiter.draw('alone', [call]).refusal?.kind).toBe('RATE_LIMITED')
  })
})

describe('a workflow in a body over 64 KiB', () => {
  const large = {
    name: 'Large',
    steps: Array.from({ length: 4 }, () => ({ inApp: { body: 'x'.repeat(19_000) } })),
  }
  const remaining = (headers: Headers) => Number(headers.get('RateLimit-Remaining'))
  const create = `mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { userErrors { message } } }`

  test('costs as much as a bulk call, at either door', async () => {
    world.setClock(later(1000))
    const client = await world.environment()
    const small = await client.send(create, { input: { identifier: 'small', name: 'Small' } })
    world.setClock(later(2000))
    const graph = await client.send(create, { input: { identifier: 'graph', ...large } })
    world.setClock(later(3000))
    const steps = large.steps.map(({ inApp }) => ({ type: 'in_app', ...inApp }))
    const rest = await client.rest('POST /v2/workflows', { body: { identifier: 'rest', name: 'Large', steps } })
    expect([small.errors, graph.errors, rest.status]).toEqual([[], [], 201])
    expect([remaining(small.headers) - remaining(graph.headers), remaining(rest.headers)]).toEqual([
      99,
      remaining(graph.headers),
    ])
  })
})
