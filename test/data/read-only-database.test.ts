// A read-only database, such as a standby after a failover, or a database that an administrator made read-only.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWorkflow } from '../support/delivery/story.ts'
import { until } from '../support/process/gateway-process.ts'
import { useWorld } from '../support/world.ts'

let url: string | undefined
const world = useWorld({
  ownDatabase: true,
  reach(location) {
    url = 'url' in location ? location.url : undefined
    return Promise.resolve(location)
  },
})

/** A connection that may always write. Undefined with the embedded database, which has no second one. */
let administrator: pg.Client | undefined

beforeAll(async () => {
  await world.development.act('createSubscriber', { subscriberId: 'ada' })
  await createWorkflow(world.development, [{ inApp: { stepId: 'feed', body: 'Shipped.' } }])
  if (url === undefined) return
  administrator = new pg.Client({ connectionString: url, options: '-c default_transaction_read_only=off' })
  await administrator.connect()
})
afterAll(() => administrator?.end())

/**
 * On a server, connections keep the setting with which they began. So the gateway's connections are closed first, as if
 * their server had failed.
 */
async function allowWrites(allowed: boolean) {
  const setting = `default_transaction_read_only = ${allowed ? 'off' : 'on'}`
  if (administrator === undefined) {
    await world.database.pool.query(`SET ${setting}`)
    return
  }
  const { rows } = await administrator.query<{ name: string }>('SELECT quote_ident(current_database()) AS name')
  await administrator.query(`ALTER DATABASE ${rows[0]?.name} SET ${setting}`)
  if (allowed) return
  await administrator.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  )
}

const ready = () => world.app.fetch(new Request('http://gateway.test/ready'))
const linesSince = (start: number, ...messages: string[]) =>
  world.logged.slice(start).filter(({ msg }) => messages.includes(String(msg)))

async function stopWrites() {
  await allowWrites(false)
  // The first statement on a closed connection fails.
  await until(async () =>
    (await world.development.send('{ environment { name } }')).status === 200 ? true : undefined,
  )
}

/** Returns when the process is ready and has logged it. */
async function resumeWrites() {
  await allowWrites(true)
  await until(async () => ((await ready()).ok ? true : undefined))
  const lastChange = () => linesSince(0, 'database unavailable', 'database available again').at(-1)?.['msg']
  await until(() => Promise.resolve(lastChange() === 'database unavailable' ? undefined : true))
}

/** The headers of a request with and without an idempotency key. */
const idempotently = (key: string): Record<string, string>[] => [{}, { 'idempotency-key': key }]

const unavailable = 'The database accepts no writes now. Try again in a moment.'

describe('while the database only reads', () => {
  beforeAll(stopWrites)
  afterAll(resumeWrites)

  test.each([
    ['mutation', 'mutation { createSubscriber(input: { subscriberId: "grace" }) { userErrors { code } } }'],
    [
      'mutation in a transaction',
      'mutation { createTopicSubscriptions(input: { topicKey: "news", subscriptions: [{ subscriberId: "ada" }] }) { userErrors { code } } }',
    ],
  ])('a %s is answered with 503 and Retry-After', async (_what, mutation) => {
    for (const headers of idempotently('one')) {
      const answer = await world.development.send(mutation, {}, headers)
      expect(answer).toMatchObject({
        status: 503,
        errors: [{ message: unavailable, extensions: { code: 'SERVICE_UNAVAILABLE' } }],
      })
      expect(answer.headers.get('retry-after')).toBe('5')
    }
  })

  test.each([
    ['POST /v2/subscribers', { subscriberId: 'grace' }],
    ['PATCH /v2/subscribers/ada', { lastName: 'King' }],
    ['POST /v2/topics', { key: 'news' }],
    ['POST /v1/events/trigger', { name: 'order', to: 'ada' }],
    ['POST /v1/subscribers/bulk', { subscribers: [{ subscriberId: 'grace' }, { subscriberId: 'lin' }] }],
  ] as const)('%s is answered with 503 and Retry-After', async (route, body) => {
    for (const headers of idempotently(route)) {
      const answer = await world.development.rest(route, { body, headers })
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 503, body: unavailable })
      expect(answer.headers.get('retry-after')).toBe('5')
    }
  })

  test('reads are answered in GraphQL and REST', async () => {
    expect(await world.development.ask('{ subscriber(subscriberId: "ada") { subscriberId } }')).toEqual({
      subscriber: { subscriberId: 'ada' },
    })
    expect((await world.development.rest('GET /v2/subscribers/ada')).status).toBe(200)
  })

  test('the process is not ready', async () => {
    const response = await ready()
    expect({ status: response.status, retryAfter: response.headers.get('retry-after') }).toEqual({
      status: 503,
      retryAfter: '5',
    })
    expect(await response.json()).toMatchObject({
      status: 'unavailable',
      checks: { database: 'the database accepts no writes', migrations: 'ok', listener: expect.any(String) },
    })
  })
})

test('the log says once that writes are impossible, once that they are possible again, and once that the process is not ready', async () => {
  const start = world.logged.length
  try {
    await stopWrites()
    await ready()
    for (const lastName of ['King', 'Byron']) {
      await world.development.rest('PATCH /v2/subscribers/ada', { body: { lastName } })
    }
  } finally {
    await resumeWrites()
  }
  expect(linesSince(start, 'not ready', 'ready again')).toMatchObject([
    { level: 40, checks: { database: 'the database accepts no writes' } },
    { level: 30, seconds: expect.any(Number) },
  ])
  expect(linesSince(start, 'database unavailable', 'database available again')).toMatchObject([
    { level: 40, noticedBy: expect.any(String), err: { message: expect.any(String) } },
    { level: 30, seconds: expect.any(Number), counted: { 'request answered with 503': expect.any(Number) } },
  ])
})

test('connections to a server that was read-only are replaced when it accepts writes', async () => {
  await stopWrites()
  await Promise.all(Array.from({ length: 20 }, () => world.development.ask('{ subscribers { totalCount } }')))
  await resumeWrites()
  const written = () => world.development.rest('PATCH /v2/subscribers/ada', { body: { lastName: 'Lovelace' } })
  const answers = await Promise.all(Array.from({ length: 20 }, written))
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
})
