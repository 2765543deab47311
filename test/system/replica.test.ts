// Gateways that read from a streaming replica. Needs the programs of a PostgreSQL server and, for root, the user postgres.
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { newKeyRing } from '../../src/lib/cipher.ts'
import { definitions } from '../../src/metrics/definitions.ts'
import {
  build,
  type GatewayProcess,
  send,
  started,
  temporaryFolder,
  until,
} from '../support/process/gateway-process.ts'
import { freePort } from '../support/process/port.ts'
import {
  type PostgresServer,
  rowsOf,
  serverRefusal,
  startReplica,
  startServers,
} from '../support/process/postgres-server.ts'
import { openProxy } from '../support/process/proxy.ts'
import { parseScrape } from '../support/scrape.ts'

vi.setConfig({ testTimeout: 240_000 })
beforeAll(build, 120_000)

const { name: metric } = definitions.replicaReads

type Outcomes = Record<'replica' | 'behind' | 'away' | 'repeated', number>

const seriesAt = async (port: string) => parseScrape(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text())

async function outcomesAt(port: string): Promise<Outcomes> {
  const series = await seriesAt(port)
  const count = (outcome: string) => series.get(`${metric}{outcome="${outcome}"}`) ?? 0
  return { replica: count('replica'), behind: count('behind'), away: count('away'), repeated: count('repeated') }
}

const timesIn = (gateway: GatewayProcess, message: string) => gateway.output().split(`"msg":"${message}"`).length - 1
const FOUND = 'read replica in use'
const LOST = 'read replica unusable: the primary answers'

const TOPIC = 'query ($key: String!) { topic(key: $key) { name } }'
const CREATE = 'mutation ($key: String!) { createTopic(input: { key: $key, name: "First" }) { topic { name } } }'
const RENAME =
  'mutation ($key: String!, $name: String!) { updateTopic(input: { key: $key, name: $name }) { topic { name } } }'

interface Running {
  readonly gateway: GatewayProcess
  /** The name of the topic over GraphQL, over GraphQL with GET, and over REST, read at the same time. */
  readonly names: () => Promise<string[]>
  readonly act: (
    operation: string,
    variables?: Record<string, unknown>,
    headers?: Record<string, string>,
  ) => Promise<unknown>
  readonly outcomes: () => Promise<Outcomes>
  /** How far the replica is behind, as the metrics have it. */
  readonly lag: () => Promise<{ readonly bytes: number | undefined; readonly seconds: number | undefined }>
}

async function run(settings: Record<string, string>, sharedKey?: string): Promise<Running & { key: string }> {
  const METRICS_PORT = await freePort()
  const { gateway, address, keys } = await started({ ...settings, METRICS_PORT })
  const key = sharedKey ?? keys[0] ?? ''
  const authorization = `ApiKey ${key}`
  return {
    gateway,
    key,
    async names() {
      const parameters = new URLSearchParams({ query: TOPIC, variables: JSON.stringify({ key: 'news' }) })
      const [{ body }, get, rest] = await Promise.all([
        send(address, key, TOPIC, { key: 'news' }),
        fetch(`${address}/graphql?${parameters}`, { headers: { authorization, 'content-type': 'application/json' } }),
        fetch(`${address}/v2/topics/news`, { headers: { authorization } }),
      ])
      expect(body.errors).toBeUndefined()
      const [got, shown] = [await get.json(), await rest.json()]
      return [body.data.topic?.name, got.data?.topic?.name, shown.name]
    },
    async act(operation, variables, headers) {
      const { body } = await send(address, key, operation, { key: 'news', ...variables }, headers)
      expect(body.errors).toBeUndefined()
      return body.data
    },
    outcomes: () => outcomesAt(METRICS_PORT),
    async lag() {
      const series = await seriesAt(METRICS_PORT)
      return { bytes: series.get(definitions.replicaLag.name), seconds: series.get(definitions.replicaDelay.name) }
    },
  }
}

async function settingsFor({ primary, replica }: { primary: PostgresServer; replica: PostgresServer }) {
  return {
    DATABASE_URL: primary.url,
    DATABASE_READ_URL: replica.url,
    DATA_DIR: await temporaryFolder(),
    ENCRYPTION_KEYS: newKeyRing(),
  }
}

const all = (name: string) => [name, name, name]

/** Waits until the replica answers the reads of a gateway. */
const servedByReplica = (one: Running) =>
  until(async () => {
    const before = await one.outcomes()
    await one.names()
    return (await one.outcomes()).replica === before.replica + 3 ? true : undefined
  })

const where =
  serverRefusal === undefined
    ? 'with a streaming replica'
    : `with a streaming replica (impossible here: ${serverRefusal})`

describe.runIf(serverRefusal === undefined)(where, () => {
  test('reads go to the replica, and to the primary while the replica lacks the writes of the caller', async () => {
    const servers = await startServers()
    const { primary, replica } = servers
    const settings = await settingsFor(servers)
    const first = await run(settings)
    const second = await run(settings, first.key)
    await first.act(CREATE)
    for (const one of [first, second]) {
      await servedByReplica(one)
      expect(await one.names()).toEqual(all('First'))
    }

    // A change that no caller made becomes visible when the replica has it, so the replica has answered.
    await rowsOf(replica.url, 'SELECT pg_wal_replay_pause()')
    await until(async () => {
      const [row] = await rowsOf(replica.url, 'SELECT pg_get_wal_replay_pause_state() AS state')
      return row?.['state'] === 'paused' ? true : undefined
    })
    await rowsOf(primary.url, `UPDATE topics SET name = 'Unseen' WHERE key = 'news'`)
    expect(await second.names()).toEqual(all('First'))

    // A caller's write is visible immediately, in its own process and in the other one.
    await first.act(RENAME, { name: 'Second' })
    expect(await first.names()).toEqual(all('Second'))
    expect(await second.names()).toEqual(all('Second'))
    await second.act(RENAME, { name: 'Third' }, { 'idempotency-key': 'third' })
    expect(await first.names()).toEqual(all('Third'))
    expect(await second.names()).toEqual(all('Third'))
    expect((await second.outcomes()).behind).toBeGreaterThanOrEqual(6)

    // The metrics have what is missing, and for how long it has been.
    await until(async () => {
      const { bytes = 0, seconds = 0 } = await first.lag()
      return bytes > 0 && seconds > 0 ? true : undefined
    })
    await rowsOf(replica.url, 'SELECT pg_wal_replay_resume()')
    await until(async () => ((await first.lag()).seconds === 0 ? true : undefined))
    for (const one of [first, second]) {
      await servedByReplica(one)
      expect(await one.names()).toEqual(all('Third'))
      expect(timesIn(one.gateway, FOUND)).toBe(1)
      expect(timesIn(one.gateway, LOST)).toBe(0)
    }

    // Many concurrent writes and reads: what one process has confirmed, the other one reads immediately.
    const rounds = Array.from({ length: 60 }, (_, index) => index)
    await Promise.all(
      rounds.map(async (round) => {
        const [writer, reader] = round % 2 === 0 ? [first, second] : [second, first]
        const key = `topic-${round}`
        await writer.act(CREATE, { key })
        expect(await reader.act(TOPIC, { key })).toEqual({ topic: { name: 'First' } })
        await reader.act(RENAME, { key, name: 'Second' })
        expect(await writer.act(TOPIC, { key })).toEqual({ topic: { name: 'Second' } })
      }),
    )
    for (const { gateway } of [first, second]) {
      expect(await gateway.kill('SIGTERM')).toBe(0)
      expect(gateway.output()).not.toMatch(/"level":[456]0/)
    }
  })

  test('reads continue while the replica is unavailable, silent or promoted, and the log says so once', async () => {
    const servers = await startServers()
    const { replica } = servers
    const proxy = await openProxy(replica.url)
    onTestFinished(() => proxy.close())
    const one = await run({ ...(await settingsFor(servers)), DATABASE_READ_URL: proxy.url })
    const reports = () => [timesIn(one.gateway, LOST), timesIn(one.gateway, FOUND)]
    const isLost = (times: number) =>
      until(() => Promise.resolve(timesIn(one.gateway, LOST) === times ? true : undefined))
    await one.act(CREATE)
    await servedByReplica(one)

    await replica.kill()
    expect(await one.names()).toEqual(all('First'))
    await isLost(1)
    expect(await one.names()).toEqual(all('First'))
    expect((await one.outcomes()).away).toBeGreaterThan(0)
    await one.act(RENAME, { name: 'Second' })
    expect(await one.names()).toEqual(all('Second'))
    await replica.start()
    await servedByReplica(one)
    expect(await one.names()).toEqual(all('Second'))
    expect(reports()).toEqual([1, 2])

    // Reads that wait for a silent replica are repeated on the primary.
    proxy.freeze()
    expect(await one.names()).toEqual(all('Second'))
    await isLost(2)
    expect((await one.outcomes()).repeated).toBeGreaterThan(0)
    expect(await one.names()).toEqual(all('Second'))
    proxy.mend()
    await servedByReplica(one)
    expect(reports()).toEqual([2, 3])

    // A server that is no longer a replica is not read from.
    await rowsOf(replica.url, 'SELECT pg_promote()')
    await isLost(3)
    await one.act(RENAME, { name: 'Third' })
    expect(await one.names()).toEqual(all('Third'))
    expect(await one.gateway.kill('SIGTERM')).toBe(0)
    expect(one.gateway.output()).not.toMatch(/"level":[56]0/)
    expect(reports()).toEqual([3, 3])
  })

  test('a replica that comes back as that of another primary, or that stays on the former timeline after a failover, is not read from', async () => {
    const { primary, replica } = await startServers()
    const standby = await startReplica(primary)
    const [address, readAddress] = [await openProxy(primary.url), await openProxy(replica.url)]
    onTestFinished(() => Promise.all([address.close(), readAddress.close()]).then(() => {}))
    const settings = await settingsFor({ primary, replica })
    const one = await run({ ...settings, DATABASE_URL: address.url, DATABASE_READ_URL: readAddress.url })
    const isLost = (reason: string) => one.gateway.prints(new RegExp(`${reason}[^\\n]*"msg":"${LOST}"`))
    await one.act(CREATE)
    await servedByReplica(one)

    const { replica: foreign } = await startServers()
    readAddress.cut()
    readAddress.lead(foreign.url)
    readAddress.mend()
    await isLost('not a replica of the one in DATABASE_URL')
    expect(await one.names()).toEqual(all('First'))
    readAddress.cut()
    readAddress.lead(replica.url)
    readAddress.mend()
    await servedByReplica(one)

    await primary.crash()
    await rowsOf(standby.url, 'SELECT pg_promote()')
    address.lead(standby.url)
    await isLost('the replica is on timeline 1, but its primary on 2')
    await one.act(RENAME, { name: 'Second' })
    expect(await one.names()).toEqual(all('Second'))
    const source = new URL(standby.url)
    await rowsOf(replica.url, `ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 port=${source.port} user=postgres'`)
    await rowsOf(replica.url, 'SELECT pg_reload_conf()')
    await servedByReplica(one)
    expect(await one.names()).toEqual(all('Second'))
    expect(await one.gateway.kill('SIGTERM')).toBe(0)
    expect(one.gateway.output()).not.toMatch(/"level":[56]0/)
  })
})
