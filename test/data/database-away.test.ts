// PostgreSQL outages while the gateway runs.
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { decodeNodeId } from '../../src/graphql/schema/node-id.ts'
import { notify } from '../support/feed.ts'
import { until } from '../support/process/gateway-process.ts'
import { onServer } from '../support/on-server.ts'
import { openProxy, type Proxy } from '../support/process/proxy.ts'
import { bySendgrid, sendgridKey } from '../support/reports/signed.ts'
import { useWorld } from '../support/world.ts'

/** Timeout of a silent connection in milliseconds. Shorter than in production, but longer than any statement here. */
const SILENCE = 5_000

describe.runIf(onServer)('a PostgreSQL outage (needs TEST_DATABASE_URL)', () => {
  let proxy: Proxy
  let server: pg.Client
  let elapsed = 0
  afterAll(() => proxy.close())

  const world = useWorld({
    stopwatch: () => elapsed,
    async reach(location) {
      if (!('url' in location)) throw new Error('only a server can be reached by way of a proxy')
      server = new pg.Client(location.url)
      proxy = await openProxy(location.url)
      return { url: proxy.url, silence: SILENCE }
    },
  })
  beforeAll(async () => {
    await server.connect()
    await world.development.act('createSubscriber', { subscriberId: 'ada' })
  })
  afterAll(() => server.end())

  const get = (path: string) => world.app.fetch(new Request(`http://gateway.test${path}`))
  const isBack = () => until(async () => ((await get('/ready')).ok ? true : undefined))

  async function expectRefusals() {
    const { development } = world
    const [asked, acted, rest, ready, health] = await Promise.all([
      development.send('{ subscriber(subscriberId: "ada") { subscriberId } }'),
      development.send(
        'mutation { createSubscriber(input: { subscriberId: "grace" }) { subscriber { id } userErrors { message } } }',
      ),
      development.rest('GET /v2/subscribers/ada'),
      get('/ready'),
      get('/health'),
    ])
    for (const { status, headers, errors } of [asked, acted]) {
      expect({ status, retryAfter: headers.get('retry-after'), errors }).toMatchObject({
        status: 503,
        retryAfter: '5',
        errors: [
          {
            message: 'The database does not answer. Try again in a moment.',
            extensions: { code: 'SERVICE_UNAVAILABLE' },
          },
        ],
      })
    }
    expect(rest.status).toBe(503)
    expect(rest.headers.get('retry-after')).toBe('5')
    expect(ready.status).toBe(503)
    expect(health.status).toBe(200)
  }

  async function expectAnswers() {
    await isBack()
    const data = await world.development.ask(
      '{ ada: subscriber(subscriberId: "ada") { subscriberId } grace: subscriber(subscriberId: "grace") { id } }',
    )
    expect(data).toEqual({ ada: { subscriberId: 'ada' }, grace: null })
  }

  test('answers the report of a provider with 503, so that the provider repeats it', async () => {
    const credentials = { from: 'shop@example.com', apiKey: 'SG.key', webhookSigningKey: sendgridKey }
    await world.development.act('createIntegration', { identifier: 'mail', providerId: 'SENDGRID', credentials })
    const { environment, integration } = await world.development.ask(
      '{ environment { id } integration(identifier: "mail") { id } }',
    )
    const ids = [environment.id, integration.id].map((id: string) => decodeNodeId(id).id)
    const url = `http://gateway.test/v2/inbound-webhooks/delivery-providers/${ids.join('/')}`
    const now = world.gateway.now()
    const report = async () => {
      const { body, headers } = bySendgrid([], now)
      return world.app.fetch(new Request(url, { method: 'POST', body, headers: { ...headers } }))
    }
    expect((await report()).status).toBe(200)
    proxy.cut()
    const refused = await report()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    proxy.mend()
    await isBack()
    expect((await report()).status).toBe(200)
  })

  test('causes 503 in GraphQL and REST while connections are refused, until PostgreSQL is back', async () => {
    proxy.cut()
    await expectRefusals()
    proxy.mend()
    await expectAnswers()
  })

  test('causes 503 in GraphQL and REST while connections are open but silent, until PostgreSQL is back', async () => {
    proxy.freeze()
    await expectRefusals()
    proxy.mend()
    await expectAnswers()
  })

  /** Cuts the connection of an operation that waits for a lock on a table, which it then gets. */
  async function interruptAt(table: string, operation: string, mode: 'EXCLUSIVE' | 'ACCESS EXCLUSIVE' = 'EXCLUSIVE') {
    await server.query('BEGIN')
    await server.query(`LOCK TABLE ${table} IN ${mode} MODE`)
    const waiting = world.development.send(operation)
    await until(async () => {
      const { rows } = await server.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      return rows.length > 0 ? true : undefined
    })
    proxy.cut()
    expect((await waiting).status).toBe(503)
    await server.query('ROLLBACK')
    proxy.mend()
    await isBack()
  }

  test('leaves nothing of a transaction in progress', async () => {
    await interruptAt(
      'topic_subscription_preferences',
      `mutation { createTopicSubscriptions(input: {
         topicKey: "news", subscriptions: [{ subscriberId: "ada" }]
         preferences: [{ group: { tags: ["t"], enabled: false } }]
       }) { userErrors { message } } }`,
    )
    const data = await world.development.ask('{ topic(key: "news") { key } topicSubscriptions { totalCount } }')
    expect(data).toEqual({ topic: null, topicSubscriptions: { totalCount: 0 } })
  })

  test('leaves all or nothing of a single-statement write in progress', async () => {
    await interruptAt(
      'subscriber_credentials',
      `mutation { upsertSubscriber(input: {
         subscriberId: "lin", channels: [{ providerId: FCM, credentials: { deviceTokens: ["t"] } }]
       }) { userErrors { message } } }`,
    )
    const { lin } = await world.development.ask('{ lin: subscriber(subscriberId: "lin") { channels { providerId } } }')
    expect([null, { channels: [{ providerId: 'FCM' }] }]).toContainEqual(lin)
  })

  test('fails a search in progress, which has its own connection, without ending the process', async () => {
    await interruptAt(
      'subscribers',
      '{ subscribers(filter: { search: "ada" }) { nodes { subscriberId } } }',
      'ACCESS EXCLUSIVE',
    )
    const data = await world.development.ask('{ subscribers(filter: { search: "ada" }) { nodes { subscriberId } } }')
    expect(data).toEqual({ subscribers: { nodes: [{ subscriberId: 'ada' }] } })
  })

  test('logs one line when it begins and one when it ends, however many requests fail', async () => {
    await expectAnswers()
    const last = () => world.logged.findLast(({ msg }) => /^database (un)?available/.test(String(msg)))?.['msg']
    await until(() => Promise.resolve(last() === 'database unavailable' ? undefined : true))
    const start = world.logged.length
    proxy.cut()
    for (let second = 0; second < 8; second += 1) {
      const requests = Array.from({ length: 40 }, (_, index) =>
        index % 2 === 0
          ? world.development.send('{ subscriber(subscriberId: "ada") { subscriberId } }')
          : world.development.rest('GET /v2/subscribers/ada'),
      )
      for (const { status } of await Promise.all(requests)) expect(status).toBe(503)
      expect((await get('/ready')).status).toBe(503)
    }
    proxy.mend()
    await expectAnswers()
    const lines = () => world.logged.slice(start).filter(({ level }) => Number(level) >= 30)
    const ended = await until(() => Promise.resolve(lines().find(({ msg }) => msg === 'database available again')))
    expect(ended).toMatchObject({ seconds: expect.any(Number), counted: { 'request answered with 503': 320 } })
    expect(lines().filter(({ msg }) => msg === 'database unavailable')).toHaveLength(1)
    expect(lines().filter(({ msg }) => msg === 'not ready')).toMatchObject([
      { checks: { database: 'the database does not answer' } },
    ])
    expect(lines().filter(({ msg }) => msg === 'ready again')).toHaveLength(1)
    expect(lines().length).toBeLessThanOrEqual(10)
    const sizes = world.logged.slice(start).map((line) => Buffer.byteLength(JSON.stringify(line)))
    expect(Math.max(...sizes)).toBeLessThan(4_000)
  })

  const counted = 'subscription { notificationCountsChanged(subscriberId: "ada") { total } }'
  const interrupted = { errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] }

  const countOf = z.object({ notificationCountsChanged: z.object({ total: z.number() }) })

  /** Subscribes to Ada's feed as soon as the gateway accepts it. */
  const followed = () =>
    until(async () => {
      const stream = await world.development.follow(counted)
      const first = await stream.next()
      return first?.errors === undefined
        ? { stream, count: countOf.parse(first?.data).notificationCountsChanged.total }
        : undefined
    })

  test.each(['cut', 'freeze'] as const)(
    'ends subscriptions to a feed (%s), and new subscriptions receive updates afterwards',
    async (way) => {
      await expectAnswers()
      const before = await followed()
      proxy[way]()
      expect(await before.stream.rest()).toMatchObject([interrupted])
      proxy.mend()
      await expectAnswers()
      const after = await followed()
      await notify(world, world.development, { subscriberId: 'ada' })
      expect(await after.stream.next()).toEqual({
        data: { notificationCountsChanged: { total: after.count + 1 } },
      })
    },
  )

  test('ends subscriptions to changes, and new subscriptions receive changes afterwards', async () => {
    const changed = 'subscription { eventsChanged { hasMore events { transactionId } } }'
    const opened = { data: { eventsChanged: { hasMore: true, events: [] } } }
    /** Subscribes as soon as the gateway accepts it. */
    const subscribed = () =>
      until(async () => {
        const stream = await world.development.follow(changed)
        return isDeepStrictEqual(await stream.next(), opened) ? stream : undefined
      })
    await expectAnswers()
    const before = await subscribed()
    proxy.cut()
    await world.look()
    expect(await before.rest()).toMatchObject([interrupted])
    proxy.mend()
    await expectAnswers()
    const after = await subscribed()
    const steps = [{ inApp: { body: 'Hello' } }]
    await world.development.act('createWorkflow', { identifier: 'order', name: 'Order', steps })
    const to = [{ subscriber: { subscriberId: 'ada' } }]
    await world.development.act('triggerEvent', { workflowIdentifier: 'order', to, transactionId: 'order-1' })
    await world.look()
    const events = [{ transactionId: 'order-1' }]
    expect(await after.next()).toEqual({ data: { eventsChanged: { hasMore: false, events } } })
  })

  test('accepts a key that was revoked meanwhile for at most a second, even if only LISTEN is silent', async () => {
    await expectAnswers()
    const { newApiKey } = await world.development.act('createApiKey', { name: 'A' }, 'newApiKey { key apiKey { id } }')
    const known = world.client(newApiKey.key)
    const statusNow = async () => (await known.send('{ __typename }')).status
    expect(await statusNow()).toBe(200)
    const { rows } = await server.query<{ client_port: number }>(
      `SELECT client_port FROM pg_stat_activity
       WHERE datname = current_database() AND (query LIKE 'LISTEN %' OR query = '')`,
    )
    expect(rows).not.toEqual([])
    for (const { client_port } of rows) proxy.freezeOne(client_port)
    // In another process, because this one would know immediately.
    await server.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [decodeNodeId(newApiKey.apiKey.id).id])
    expect(await statusNow()).toBe(200)
    elapsed += 1_000
    expect(await statusNow()).toBe(401)
    expect(await world.development.ask('{ __typename }')).toEqual({ __typename: 'Query' })
    await expectAnswers()
  })

  test('needs no restart of the gateway when PostgreSQL only closed its connections', async () => {
    await server.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    )
    await expectAnswers()
  })
})
