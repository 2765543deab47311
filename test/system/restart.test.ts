// Processes that stop or die behind a load balancer: no request that may be repeated is lost, and a stop loses no
// request at all. The tests with the proxy of compose.yaml need Caddy.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { newKeyRing } from '../../src/lib/cipher.ts'
import { startBalancer } from '../support/process/balancer.ts'
import {
  build,
  freshSettings,
  type GatewayProcess,
  started,
  temporaryFolder,
  until,
} from '../support/process/gateway-process.ts'
import { onServer } from '../support/on-server.ts'
import { freePort } from '../support/process/port.ts'

vi.setConfig({ testTimeout: 240_000 })
beforeAll(build, 120_000)

/** Seconds: longer than the balancer takes to notice, and shorter than by default. */
const SHUTDOWN_DELAY = '3'

/** Two gateways on one database. */
async function twoGateways() {
  const settings = {
    ...(await freshSettings()),
    ENCRYPTION_KEYS: newKeyRing(),
    RATE_LIMIT: 'off',
    SHUTDOWN_DELAY,
    TRUSTED_PROXIES: '1',
  }
  const first = await started(settings)
  const second = await started(settings)
  return { first, second, key: first.keys[0] ?? '' }
}

interface Load {
  /** The number of requests of each status; 0 for those without a response. */
  readonly statuses: Map<number, number>
  /** Subscribers whose creation was confirmed with 201. */
  readonly created: Set<string>
  /** Resolves when all requests have ended. */
  stop(): Promise<void>
}

/** What clients send. */
type Kind = 'reads' | 'reads and writes'

/** Eight clients, each one request after the other. Every request may be repeated. */
function startLoad(address: string, key: string, kind: Kind): Load {
  const statuses = new Map<number, number>()
  const created = new Set<string>()
  let stopped = false
  const headers = { authorization: `ApiKey ${key}`, 'content-type': 'application/json' }
  const send = async (target: string, init: RequestInit): Promise<number> => {
    const status = await fetch(`${address}${target}`, init).then(
      async (response) => {
        await response.arrayBuffer()
        return response.status
      },
      () => 0,
    )
    // The transaction of the dead process may not have ended yet. As documented, the client repeats its request.
    if (status === 409) return send(target, init)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    return status
  }
  async function client(name: number) {
    for (let count = 0; !stopped; count += 1) {
      const subscriberId = `subscriber-${name}-${count}`
      await send('/v2/subscribers', { headers })
      if (kind === 'reads') continue
      const status = await send('/v2/subscribers', {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': subscriberId },
        body: JSON.stringify({ subscriberId }),
      })
      if (status === 201) created.add(subscriberId)
      await send('/graphql', {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': `${subscriberId}-query` },
        body: JSON.stringify({ query: '{ environment { name } }' }),
      })
    }
  }
  const clients = Array.from({ length: 8 }, (_, name) => client(name))
  return {
    statuses,
    created,
    async stop() {
      stopped = true
      await Promise.all(clients)
    },
  }
}

const total = ({ statuses }: Load) => [...statuses.values()].reduce((sum, count) => sum + count, 0)

/** Sends requests before, while and after one of two gateways ends. @returns the failed requests. */
async function failuresWhile(
  address: string,
  key: string,
  end: () => ReturnType<GatewayProcess['kill']>,
  kind: Kind = 'reads and writes',
) {
  const load = startLoad(address, key, kind)
  await until(() => Promise.resolve(total(load) > 200 ? true : undefined))
  const ended = await end()
  const before = total(load)
  await until(() => Promise.resolve(total(load) > Math.max(1_000, before + 200) ? true : undefined))
  await load.stop()
  return { ended, load, failures: [...load.statuses].filter(([status]) => status !== 200 && status !== 201) }
}

/** Each created subscriber exists exactly once, and there are no others. */
async function expectCreatedOnce(address: string, key: string, { created }: Load) {
  const response = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ subscribers { totalCount } }' }),
  })
  expect(await response.json()).toEqual({ data: { subscribers: { totalCount: created.size } } })
}

describe.runIf(onServer)('behind a balancer that asks /ready each second (needs TEST_DATABASE_URL)', () => {
  test('a stop fails none of 1,000 requests, and asks the balancer to close its connections', async () => {
    const { first, second, key } = await twoGateways()
    const balancer = await startBalancer([first.address, second.address], { repeats: false })
    const { ended, load, failures } = await failuresWhile(balancer.address, key, async () => {
      const exit = first.gateway.kill('SIGTERM')
      await first.gateway.prints(/"delaySeconds":3,"msg":"stopping"/)
      const response = await fetch(`${first.address}/ready`)
      expect(response.status).toBe(503)
      expect(await response.json()).toMatchObject({ status: 'stopping' })
      return exit
    })
    expect(ended).toBe(0)
    expect(failures).toEqual([])
    expect(balancer.closed.count).toBeGreaterThan(0)
    await expectCreatedOnce(second.address, key, load)
  })

  test('kill -9 fails no request that the balancer may repeat', async () => {
    const { first, second, key } = await twoGateways()
    const { address } = await startBalancer([first.address, second.address], { repeats: true })
    const { load, failures } = await failuresWhile(address, key, () => first.gateway.kill('SIGKILL'))
    expect(failures).toEqual([])
    await expectCreatedOnce(second.address, key, load)
  })
})

/** What `caddy version` prints. Empty without Caddy. */
function printedVersion(): string {
  const { error, stdout } = spawnSync('caddy', ['version'], { encoding: 'utf8' })
  return error === undefined ? stdout : ''
}

const [, caddyVersion] = /^v?2\.(\d+)/.exec(printedVersion()) ?? []

/** Earlier versions lose the body of a request that they repeat, and then take the gateway that rejects it for dead. */
const repeatsBodies = Number(caddyVersion) >= 11

/** The proxy of compose.yaml in front of these gateways. */
async function startCaddy(addresses: readonly string[]): Promise<string> {
  const file = readFileSync(path.join(import.meta.dirname, '../../compose.yaml'), 'utf8')
  const { configs } = z
    .object({ configs: z.object({ proxy: z.object({ content: z.string() }) }) })
    .parse(parse(file, { merge: true }))
  const port = await freePort()
  let caddyfile = configs.proxy.content.replace(':3000 {', `:${port} {`)
  for (const [index, address] of addresses.entries()) {
    caddyfile = caddyfile.replace(`gateway-${index + 1}:3000`, new URL(address).host)
  }
  // Debian 12 has Caddy 2.6.2, which does not know this setting.
  if (!repeatsBodies) caddyfile = caddyfile.replace(/request_buffers \S+/, '')
  const folder = await temporaryFolder()
  const config = path.join(folder, 'Caddyfile')
  await writeFile(config, `{\nadmin off\nauto_https off\n}\n${caddyfile}`)
  const caddy = spawn('caddy', ['run', '--config', config, '--adapter', 'caddyfile'], {
    cwd: folder,
    stdio: 'ignore',
  })
  onTestFinished(() => void caddy.kill('SIGKILL'))
  const address = `http://127.0.0.1:${port}`
  await until(async () => ((await fetch(`${address}/ready`)).ok ? true : undefined))
  return address
}

describe.runIf(onServer && caddyVersion !== undefined)(
  'behind the proxy of compose.yaml (needs TEST_DATABASE_URL and Caddy)',
  () => {
    async function expectNoFailures(signal: NodeJS.Signals, kind: Kind) {
      const { first, second, key } = await twoGateways()
      const address = await startCaddy([first.address, second.address])
      const { load, failures } = await failuresWhile(address, key, () => first.gateway.kill(signal), kind)
      expect(failures).toEqual([])
      await expectCreatedOnce(second.address, key, load)
    }

    test('a stop fails no request', () => expectNoFailures('SIGTERM', 'reads and writes'))

    test('kill -9 fails no read', () => expectNoFailures('SIGKILL', 'reads'))

    test.runIf(repeatsBodies)('kill -9 fails no request that has an idempotency key (needs Caddy 2.11)', () =>
      expectNoFailures('SIGKILL', 'reads and writes'),
    )
  },
)
