// Every transport of subscriptions delivers the same streams to the same callers.
import { isDeepStrictEqual } from 'node:util'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { RECHECK_INTERVAL } from '../../src/http/access-watch.ts'
import { browserOf } from '../support/browser.ts'
import { notify } from '../support/feed.ts'
import { until } from '../support/process/gateway-process.ts'
import type { Result } from '../support/stream.ts'
import { type Follower, listen, transports } from '../support/transports.ts'
import { type Client, useWorld } from '../support/world.ts'

const world = useWorld({ streamLimits: { environment: 3, process: 1_000 } })
let acme: Client
let address: string

const received = `subscription ($subscriberId: String = "ada", $contextKeys: [String!]) {
  notificationReceived(subscriberId: $subscriberId, contextKeys: $contextKeys) { body }
}`
const counted = 'subscription { notificationCountsChanged(subscriberId: "ada") { unread } }'
const told = (body: string) => ({ data: { notificationReceived: { body } } })
const counts = (unread: number) => ({ data: { notificationCountsChanged: { unread } } })
const codeOf = (result: Result | undefined) => result?.errors?.[0]?.extensions?.['code']

beforeEach(async () => {
  acme = await world.environment()
  await acme.act('createSubscribers', { subscribers: [{ subscriberId: 'ada' }, { subscriberId: 'grace' }] })
  address = await listen(world)
})

describe.each(transports)('over %s, a subscription', (_name, follow) => {
  const open = (client: Client, variables = {}, query = received, scheme = 'ApiKey') =>
    follow(address, `${scheme} ${client.key}`, { query, variables })
  /** Opens a stream of counts and reads the first, so that the stream is open. */
  async function opened(client: Client): Promise<Follower> {
    const follower = await open(client, {}, counted)
    expect(await follower.next()).toEqual(counts(0))
    return follower
  }

  /**
   * Opens a stream of notifications, and notifies until it sends one, so that the stream is open. Empties the feed.
   *
   * @returns a function that waits for the next notification.
   */
  async function receiving(client: Client): Promise<Follower['next']> {
    const follower = await open(client)
    let first: Result | undefined
    const arrival = follower.next().then((result) => (first = result))
    await until(async () => {
      await notify(world, client, { subscriberId: 'ada', body: 'first' })
      return first
    })
    expect(await arrival).toEqual(told('first'))
    await client.act('deleteNotifications', { subscriberId: 'ada' })
    return async () => {
      for (;;) {
        const result = await follower.next()
        if (!isDeepStrictEqual(result, told('first'))) return result
      }
    }
  }

  test('sends the events of its feed', async () => {
    const follower = await opened(acme)
    await notify(world, acme, { subscriberId: 'ada' })
    expect(await follower.next()).toEqual(counts(1))
    await notify(world, acme, { subscriberId: 'ada' })
    expect(await follower.next()).toEqual(counts(2))
  })

  test('sends the changes of events', async () => {
    const query = 'subscription { eventsChanged { hasMore events { transactionId } } }'
    const follower = await open(acme, {}, query)
    expect(await follower.next()).toEqual({ data: { eventsChanged: { hasMore: true, events: [] } } })
    const steps = [{ inApp: { body: 'Hello' } }]
    await acme.act('createWorkflow', { identifier: 'order', name: 'Order', steps })
    const to = [{ subscriber: { subscriberId: 'ada' } }]
    await acme.act('triggerEvent', { workflowIdentifier: 'order', to, transactionId: 'order-1' })
    await world.look()
    const events = [{ transactionId: 'order-1' }]
    expect(await follower.next()).toEqual({ data: { eventsChanged: { hasMore: false, events } } })
  })

  test('sends nothing of another environment, subscriber or context', async () => {
    const other = await world.environment()
    await other.act('createSubscriber', { subscriberId: 'ada' })
    const [next, own] = [await receiving(other), await opened(other)]
    await notify(world, acme, { subscriberId: 'ada', body: 'elsewhere' })
    await notify(world, other, { subscriberId: 'ada', body: 'in a context', contextKeys: ['tenant:a'] })
    await notify(world, other, { subscriberId: 'ada', body: 'here' })
    expect(await next()).toEqual(told('here'))
    expect(await own.next()).toEqual(counts(1))
  })

  test('is open to a dashboard session', async () => {
    const { token } = await acme.act('openDashboardSession', { apiKey: acme.key }, 'token')
    const follower = await open(world.client(token), {}, counted, 'Dashboard')
    expect(await follower.next()).toEqual(counts(0))
    await follower.leave()
  })

  test('of a session is for its own subscriber and contexts only', async () => {
    const browser = await browserOf(world, acme, 'ada', { tenant: 'a' })
    const contextKeys = ['tenant:a']
    for (const another of [{}, { contextKeys, subscriberId: 'grace' }, { contextKeys: ['tenant:b'] }]) {
      expect(codeOf(await (await open(browser, another, received, 'Session')).next())).toBe('FORBIDDEN')
    }
    const query = `subscription { notificationCountsChanged(subscriberId: "ada", contextKeys: ["tenant:a"]) { unread } }`
    expect(await (await open(browser, {}, query, 'Session')).next()).toEqual(counts(0))
  })

  test.each([
    ['of nobody', received, { subscriberId: 'nobody' }, 'NOT_FOUND'],
    ['that does not match the schema', 'subscription { nobody }', {}, 'GRAPHQL_VALIDATION_FAILED'],
    ['that cannot be parsed', 'subscription {', {}, 'GRAPHQL_PARSE_FAILED'],
    ['with a variable of another type', received, { contextKeys: 7 }, 'BAD_USER_INPUT'],
    [
      'that asks for too much',
      `subscription { notificationReceived(subscriberId: "ada") { subscriber { notifications(first: 100) { nodes {
         subscriber { notifications(first: 100) { nodes { actions { url } } } } } } } } }`,
      {},
      'QUERY_TOO_COSTLY',
    ],
  ])('%s ends with an error', async (_what, query, variables, code) => {
    const follower = await open(acme, variables, query)
    expect(codeOf(await follower.next())).toBe(code)
    expect(await follower.next()).toBeUndefined()
  })

  test('over the limit of its environment is rejected until another subscription has ended', async () => {
    const first = await opened(acme)
    await opened(acme)
    await opened(acme)
    expect(await (await open(acme, {}, counted)).next()).toMatchObject({
      errors: [{ message: expect.stringContaining('has 3 open streams'), extensions: { code: 'TOO_MANY_STREAMS' } }],
    })
    world.logged.length = 0
    await first.leave()
    await until(async () => ((await (await open(acme, {}, counted)).next())?.data === undefined ? undefined : true))
    // A client that leaves is no error.
    expect(world.logged.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })

  test('ends within a minute after its API key is revoked', async () => {
    const { newApiKey } = await acme.act('createApiKey', { name: 'Page' }, 'newApiKey { key apiKey { id } }')
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const timers = vi.getTimerCount()
      const follower = await opened(world.client(newApiKey.key))
      await acme.act('revokeApiKey', { id: newApiKey.apiKey.id })
      await vi.advanceTimersByTimeAsync(RECHECK_INTERVAL)
      expect(await follower.next()).toEqual({
        errors: [{ message: 'API Key not found', extensions: { code: 'UNAUTHENTICATED' } }],
      })
      expect(await follower.next()).toBeUndefined()
      await follower.leave()
      await until(() => Promise.resolve(vi.getTimerCount() === timers || undefined))
    } finally {
      vi.useRealTimers()
    }
  })
})

test.each(['application/json', 'application/graphql-response+json', 'text/event-stream'])(
  'a result that fails in part has its errors first as %s',
  async (accept) => {
    const response = await fetch(`${address}/graphql`, {
      method: 'POST',
      headers: { accept, 'content-type': 'application/json', authorization: `ApiKey ${acme.key}` },
      body: JSON.stringify({ query: '{ environment { name } subscriber(subscriberId: "") { id } }' }),
    })
    expect(await response.text()).toMatch(/(^|\ndata: )\{"errors":\[\{.+\],"data":\{"environment":\{/)
  },
)
