// Primaries that are killed under load, or that only read, and standbys that are promoted in their place. Needs the
// programs of a PostgreSQL server, HAProxy and, for root, the user postgres.
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { newKeyRing } from '../../src/lib/cipher.ts'
import { build, send, started, temporaryFolder, until } from '../support/process/gateway-process.ts'
import { hasBalancer } from '../support/process/moving-address.ts'
import { startPair } from '../support/process/postgres-pair.ts'
import { rowsOf, serverRefusal, startServers } from '../support/process/postgres-server.ts'
import { openProxy } from '../support/process/proxy.ts'
import { PAUSE, repeat } from '../support/process/repeated-requests.ts'
import { readStream, subscribing } from '../support/stream.ts'

vi.setConfig({ testTimeout: 600_000 })
beforeAll(build, 120_000)

const FAILOVERS = 20
/** Clients that send triggers, one after the other, and the acknowledged triggers before each failover. */
const CLIENTS = 4
const TRIGGERS = 60

const key = 'survives-its-database'
/**
 * Each request has a connection of its own: when this process copies a server and stalls for seconds, the gateway closes
 * connections that are idle, and a request that reuses one would fail.
 */
const once = { connection: 'close' }
const headers = { ...once, authorization: `ApiKey ${key}`, 'content-type': 'application/json' }

const READ = '{ environment { name } subscribers(first: 1) { totalCount } }'

/** A gateway with two workflows, and a subscriber who follows her feed. */
async function startGateway(databaseUrl: string) {
  const { gateway, address } = await started({
    DATABASE_URL: databaseUrl,
    DATA_DIR: await temporaryFolder(),
    ENCRYPTION_KEYS: newKeyRing(),
    BOOTSTRAP_API_KEY: key,
    RATE_LIMIT: 'off',
  })
  const create = 'mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { userErrors { message } } }'
  for (const [identifier, body] of [
    ['news', 'News'],
    ['round', 'Round {{ payload.round }}'],
  ]) {
    const input = { identifier, name: identifier, steps: [{ inApp: { body } }] }
    expect((await send(address, key, create, { input })).body).toEqual({ data: { createWorkflow: { userErrors: [] } } })
  }
  const trigger = async (event: object) => {
    const body = JSON.stringify(event)
    const response = await fetch(`${address}/v1/events/trigger`, { method: 'POST', headers, body })
    await response.arrayBuffer()
    return response
  }
  const seen = followFeed(address)
  let sent = 0
  return {
    gateway,
    address,
    trigger,
    /** Triggers until the feed's stream delivers a notification of the round. */
    untilLive: async (round: number): Promise<void> => {
      const event = { name: 'round', to: 'ada', payload: { round } }
      while (!seen.has(`Round ${round}`)) {
        await trigger({ ...event, transactionId: `live-${(sent += 1)}` })
        await pause(PAUSE)
      }
    },
  }
}

/** Follows a feed, and subscribes again whenever the stream ends. @returns the bodies of the notifications. */
function followFeed(address: string): ReadonlySet<string> {
  const seen = new Set<string>()
  const query = 'subscription { notificationReceived(subscriberId: "ada") { body } }'
  let isOver = false
  onTestFinished(() => {
    isOver = true
  })
  const follow = async () => {
    const stream = readStream(await fetch(subscribing(address, `ApiKey ${key}`, query)))
    for (let result = await stream.next(); result?.data !== undefined; result = await stream.next()) {
      const data = result.data as { readonly notificationReceived: { readonly body: string } }
      seen.add(data.notificationReceived.body)
    }
  }
  const repeated = async () => {
    while (!isOver) {
      await follow().catch(() => {})
      await pause(PAUSE)
    }
  }
  void repeated()
  return seen
}

/** Sends triggers with an id each. A client repeats a trigger until it is acknowledged. */
function triggerRepeatedly(trigger: (event: object) => Promise<Response>) {
  const acknowledged: string[] = []
  const clients = Array.from({ length: CLIENTS }, (_, client) => {
    let count = 0
    return repeat(async () => {
      const transactionId = `${client}-${count}`
      const response = await trigger({ name: 'news', to: `subscriber-${client}`, transactionId })
      if (response.ok) {
        acknowledged.push(transactionId)
        count += 1
      }
      return response
    })
  })
  return { acknowledged, clients }
}

/** Waits for a count to reach a value. */
const reaches = (count: () => number, least: number) =>
  until(() => Promise.resolve(count() >= least ? true : undefined), 1)

const missing = [serverRefusal, hasBalancer ? undefined : 'HAProxy is not installed'].filter((one) => one !== undefined)
const where = missing.length === 0 ? 'a primary that dies' : `a primary that dies (impossible here: ${missing.join()})`

describe.runIf(missing.length === 0)(where, () => {
  test(`loses and doubles nothing in ${FAILOVERS} failovers to a synchronous standby, and no request is answered with 500`, async () => {
    const pair = await startPair()
    const { gateway, address, trigger, untilLive } = await startGateway(pair.url)
    const { acknowledged, clients } = triggerRepeatedly(trigger)
    const reads = repeat(() => send(address, key, READ, {}, once))
    const checks = repeat(() => fetch(`${address}/ready`, { headers: once }))
    const refusals = () => clients.reduce((sum, { statuses }) => sum + (statuses.get(503) ?? 0), 0)

    const times: Record<string, number>[] = []
    for (let round = 1; round <= FAILOVERS; round += 1) {
      await reaches(() => acknowledged.length, acknowledged.length + TRIGGERS)
      const refused = refusals()
      await pair.crash()
      await reaches(refusals, refused + 1)
      const [start, before] = [performance.now(), acknowledged.length]
      const since = () => Math.round(performance.now() - start)
      const [promoted, acknowledges, live] = await Promise.all([
        pair.promote().then(since),
        reaches(() => acknowledged.length, before + 1).then(since),
        untilLive(round).then(since),
      ])
      times.push({ promoted, acknowledges, live })
      await pair.rebuild()
    }
    for (const one of [...clients, reads, checks]) await one.stop()
    console.log('Milliseconds since the call of pg_promote')
    console.table(times)

    for (const { statuses } of clients) expect([...statuses.keys()].toSorted()).toEqual([201, 503])
    for (const { statuses } of [reads, checks]) expect([...statuses.keys()].toSorted()).toEqual([200, 503])
    expect(gateway.output()).not.toMatch(/"level":[56]0/)
    await until(async () => ((await rowsOf(pair.url, 'SELECT 1 FROM jobs LIMIT 1')).length === 0 ? true : undefined))
    const events = await rowsOf(
      pair.url,
      `SELECT transaction_id AS id, (SELECT count(*)::int FROM notifications WHERE event_id = events.id) AS entries
         FROM events WHERE transaction_id NOT LIKE 'live-%'`,
    )
    expect(events.map(({ id }) => id).toSorted()).toEqual(acknowledged.toSorted())
    expect(events.filter(({ entries }) => entries !== 1)).toEqual([])
  })
})

const others =
  serverRefusal === undefined
    ? 'a former primary that only reads'
    : `a former primary that only reads (impossible here: ${serverRefusal})`

describe.runIf(serverRefusal === undefined)(others, () => {
  test('is left, also by the stream of a feed, as soon as the address leads to the promoted server', async () => {
    const { primary, replica } = await startServers()
    const proxy = await openProxy(primary.url)
    onTestFinished(() => proxy.close())
    const { address, trigger, untilLive } = await startGateway(proxy.url)
    await untilLive(1)

    await rowsOf(primary.url, 'ALTER SYSTEM SET default_transaction_read_only = on')
    await rowsOf(primary.url, 'SELECT pg_reload_conf()')
    await until(async () => ((await fetch(`${address}/ready`)).status === 503 ? true : undefined))
    const refused = await trigger({ name: 'news', to: 'ada' })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])

    // Nothing closes the connections to the former primary.
    await rowsOf(replica.url, 'SELECT pg_promote()')
    proxy.lead(replica.url)
    await until(async () => ((await trigger({ name: 'news', to: 'ada' })).status === 201 ? true : undefined))
    await untilLive(2)
    await until(async () => ((await fetch(`${address}/ready`)).ok ? true : undefined))
    const left = `SELECT 1 FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`
    await until(async () => ((await rowsOf(primary.url, left)).length === 0 ? true : undefined))
  })
})
