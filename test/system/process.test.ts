// The gateway process: how it starts, what it prints and how it stops.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { connect, createServer } from 'node:net'
import path from 'node:path'
import { json } from 'node:stream/consumers'
import { beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { newKeyRing } from '../../src/lib/cipher.ts'
import {
  bootstrapAs,
  build,
  freshSettings,
  type GatewayProcess,
  send,
  type Settings,
  started,
  startGateway,
  temporaryFolder,
  until,
  withDatabase,
} from '../support/process/gateway-process.ts'
import { freePort, occupiedPort, portOf } from '../support/process/port.ts'
import { administer, databaseUrl } from '../support/prepare.ts'
import { parseScrape } from '../support/scrape.ts'
import { transports } from '../support/transports.ts'

const template = inject('template')

// Each test starts up to three processes.
vi.setConfig({ testTimeout: 120_000 })
beforeAll(build, 120_000)

const createSubscriber = `mutation ($subscriberId: String!) {
  createSubscriber(input: { subscriberId: $subscriberId }) { subscriber { subscriberId } userErrors { message } }
}`

/** The ids of all subscribers. */
async function subscriberIds(address: string, key: string): Promise<Set<string>> {
  const found = new Set<string>()
  for (let after: string | null = null; ;) {
    const query = `query ($after: String) {
      subscribers(first: 100, after: $after) { nodes { subscriberId } pageInfo { endCursor hasNextPage } }
    }`
    const { body } = await send(address, key, query, { after })
    const { nodes, pageInfo } = body.data.subscribers
    for (const { subscriberId } of nodes) found.add(subscriberId)
    if (!pageInfo.hasNextPage) return found
    after = pageInfo.endCursor
  }
}

/** Marks tests that only concern the embedded database: they run when the rest of the tests uses it. */
const onEmbedded = test.runIf('directory' in template)

/** A request that the gateway has started to process, with a body that has not been sent yet. */
async function requestInFlight(address: string, key: string, agent: Agent) {
  const body = JSON.stringify({ query: createSubscriber, variables: { subscriberId: 'ada' } })
  const sent = request(`${address}/graphql`, {
    method: 'POST',
    agent,
    headers: {
      authorization: `ApiKey ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      expect: '100-continue',
    },
  })
  // The connection breaks if the process exits immediately.
  sent.on('error', () => {})
  sent.flushHeaders()
  await once(sent, 'continue')
  return {
    async finish() {
      sent.end(body)
      const [response] = await once(sent, 'response')
      return { status: response.statusCode, connection: response.headers.connection, body: await json(response) }
    },
  }
}

function keepAliveAgent(): Agent {
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  return agent
}

/** Starts a process that must fail. @returns its output. */
async function refusal(settings: Settings): Promise<string> {
  const gateway = startGateway(settings)
  expect(await gateway.ended).toBe(1)
  return gateway.output()
}

/** The number that PostgreSQL assigns to a database when it is created. */
const identifierOf = async (database: string) =>
  (await readFile(path.join(database, 'global/pg_control'))).readBigUInt64LE()

describe('the first start', () => {
  onEmbedded('copies the empty database of the build, also after a copy that was interrupted', async () => {
    const source = path.join('directory' in template ? template.directory : '', 'database')
    const built = path.join(import.meta.dirname, '../../dist/empty-database')
    // Other files may copy it meanwhile, so the result of `npm run build` is not replaced.
    if (!existsSync(built)) await cp(source, built, { recursive: true })
    const folder = await temporaryFolder()
    await mkdir(path.join(folder, 'database-new/base'), { recursive: true })
    const { keys } = await started({ DATA_DIR: folder })
    expect(keys).toHaveLength(2)
    expect(await identifierOf(path.join(folder, 'database'))).toBe(await identifierOf(built))
    expect(await readdir(folder)).not.toContain('database-new')
  })

  test('prints an API key for each environment, later starts print none, and one beside another fails if the database is embedded', async () => {
    const settings = await freshSettings()
    const first = await started(settings)
    expect(first.keys).toHaveLength(2)
    expect(first.gateway.output()).toContain('The key of Production has the access ADMIN.')
    const [development = ''] = first.keys
    expect(await send(first.address, development, '{ environment { name } }')).toMatchObject({
      status: 200,
      body: { data: { environment: { name: 'Development' } } },
    })
    expect((await stat(path.join(settings.DATA_DIR, 'encryption-keys'))).mode & 0o777).toBe(0o600)
    expect(await first.gateway.kill('SIGTERM')).toBe(0)

    const second = await started(settings)
    expect(second.gateway.output()).not.toContain('ng_')
    // A process of its own for this would take seconds of CPU time.
    if ('directory' in template) {
      const inUse = `${settings.DATA_DIR} is in use by process ${second.gateway.child.pid} on `
      expect(await refusal(settings)).toContain(inUse)
    }
    expect(await send(second.address, development, '{ environment { name } }')).toMatchObject({ status: 200 })
  })

  onEmbedded('answers early requests with 503 and Retry-After', async () => {
    const port = await freePort()
    // Creating the database in an empty folder takes long enough to send a request meanwhile.
    startGateway({ PORT: port, DATA_DIR: await temporaryFolder() })
    const early = await until(() =>
      fetch(`http://127.0.0.1:${port}/v2/subscribers`, { headers: { 'idempotency-key': 'early' } }),
    )
    expect(early.status).toBe(503)
    expect(await early.text()).toContain('Try again')
    expect(Object.fromEntries(early.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'idempotency-key': 'early',
      'ratelimit-limit': '15000',
      'retry-after': '2',
    })
  })

  test('uses BOOTSTRAP_API_KEY without printing it, and warns about a misspelled variable', async () => {
    const { gateway, address, keys } = await started({
      ...(await freshSettings()),
      BOOTSTRAP_API_KEY: 'chosen-by-grace-1906',
      RATE_LIMITS: 'off',
    })
    expect(gateway.output()).toMatch(
      /"level":40.*"variable":"RATE_LIMITS","similarTo":"RATE_LIMIT","msg":"unknown environment variable"/,
    )
    expect(gateway.output()).toMatch(/"level":40.*"msg":"BOOTSTRAP_API_KEY is weak/)
    expect(gateway.output()).not.toContain('chosen-by-grace')
    expect(keys).toHaveLength(1)
    expect(await send(address, 'chosen-by-grace-1906', '{ environment { name } }')).toMatchObject({
      body: { data: { environment: { name: 'Development' } } },
    })
  })

  test.skipIf(!('server' in template))(
    'of two concurrent processes on an empty PostgreSQL database creates one set of keys, which both accept (needs TEST_DATABASE_URL)',
    async () => {
      if (!('server' in template)) return
      const name = `gateway_pair_${process.pid}`
      await administer(template.server, `CREATE DATABASE ${name}`)
      onTestFinished(() => administer(template.server, `DROP DATABASE ${name} WITH (FORCE)`))
      const settings = { DATABASE_URL: databaseUrl(template.server, name), DATA_DIR: await temporaryFolder() }
      const both = await Promise.all([started(settings), started(settings)])
      const keys = both.flatMap((one) => one.keys)
      expect(keys).toHaveLength(2)
      for (const { address } of both) {
        expect(await send(address, keys[0] ?? '', '{ environment { name } }')).toMatchObject({ status: 200 })
      }
    },
  )
})

describe('the metrics', () => {
  test('are served on a different port than the API', async () => {
    const port = await freePort()
    const { address, keys, gateway } = await started({ ...(await freshSettings()), METRICS_PORT: port })
    await send(address, keys[0] ?? '', '{ environment { name } }')
    const metrics = `http://127.0.0.1:${port}/metrics`
    const response = await fetch(metrics)
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(parseScrape(await response.text()).get('notification_gateway_database_up')).toBe(1)
    const statusOf = async (url: string, init: RequestInit = {}) => (await fetch(url, init)).status
    expect(await statusOf(metrics, { method: 'HEAD' })).toBe(200)
    expect(await statusOf(metrics, { method: 'POST' })).toBe(405)
    expect(await statusOf(`http://127.0.0.1:${port}/ready`)).toBe(404)
    expect(await statusOf(`${address}/metrics`)).toBe(401)
    expect(await gateway.kill('SIGTERM')).toBe(0)
  })

  test('prevent a start if METRICS_PORT is in use', async () => {
    const port = portOf(await occupiedPort())
    expect(await refusal({ METRICS_PORT: port, DATA_DIR: await temporaryFolder() })).toBe(
      `port ${port} on 127.0.0.1 is already in use: stop the other process or set METRICS_PORT to another port\n`,
    )
  })

  test('are left out with a warning if only their default port is in use', async () => {
    const other = createServer()
    onTestFinished(() => void other.close())
    // Another program may be using it, which is just as good.
    const isTaken = new Promise((resolve) => other.once('listening', resolve).once('error', resolve))
    other.listen(9464, '127.0.0.1')
    await isTaken
    const { gateway } = await started({ ...(await freshSettings()), METRICS_PORT: '' })
    expect(gateway.output()).toMatch(/"level":40.*"port":9464,"msg":"metrics not served: port in use"/)
  })
})

describe('a failed start with exit code 1', () => {
  test('names the port that is in use', async () => {
    const port = portOf(await occupiedPort())
    expect(await refusal({ PORT: port, DATA_DIR: await temporaryFolder() })).toBe(
      `port ${port} on 127.0.0.1 is already in use: stop the other process or set PORT to another port\n`,
    )
  })

  test('names the database that cannot be reached, without the password', async () => {
    expect(await refusal({ DATABASE_URL: 'postgresql://ada:analytical-engine@127.0.0.1:1/gateway' })).toBe(
      'the database 127.0.0.1:1/gateway cannot be opened: connect ECONNREFUSED 127.0.0.1:1\n',
    )
  })

  test('lists every invalid setting', async () => {
    expect(await refusal({ PORT: 'http', LOG_LEVEL: 'loud' })).toBe(
      'PORT must be a port number from 0 to 65535\n' +
        'LOG_LEVEL must be fatal, error, warn, info, debug, trace or silent\n',
    )
  })

  test('names the encryption key that is missing or wrong', async () => {
    const settings = await freshSettings()
    await withDatabase(settings, (database) => bootstrapAs({ ENCRYPTION_KEYS: newKeyRing('first') }, database))
    expect(await refusal({ ...settings, ENCRYPTION_KEYS: newKeyRing('other') })).toContain(
      'the key ring lacks the key "first", which a secret is encrypted with',
    )
    expect(await refusal({ ...settings, ENCRYPTION_KEYS: newKeyRing('first') })).toContain(
      'a secret does not decrypt with the key "first": the secret or the key was changed',
    )
  })
})

describe('a killed process', () => {
  // Both requests reject an existing subscriber, so a retry exposes one that was stored without its response.
  const doors = [
    {
      door: 'graph',
      create: (address: string, key: string, subscriberId: string) =>
        send(address, key, createSubscriber, { subscriberId }, { 'idempotency-key': subscriberId }),
      done: (subscriberId: string) => ({
        status: 200,
        body: { data: { createSubscriber: { subscriber: { subscriberId }, userErrors: [] } } },
      }),
    },
    {
      door: 'rest',
      create: async (address: string, key: string, subscriberId: string) => {
        const response = await fetch(`${address}/v2/subscribers?failIfExists=true`, {
          method: 'POST',
          headers: {
            authorization: `ApiKey ${key}`,
            'content-type': 'application/json',
            'idempotency-key': subscriberId,
          },
          body: JSON.stringify({ subscriberId }),
        })
        return { status: response.status, body: await response.json() }
      },
      done: (subscriberId: string) => ({ status: 201, body: { subscriberId, deleted: false } }),
    },
  ]

  test('loses no acknowledged write, and runs each request once in both APIs when clients retry with the same idempotency keys', async () => {
    const settings = await freshSettings()
    const { gateway, address, keys } = await started(settings)
    const [key = ''] = keys
    const everything = doors.flatMap(({ door, ...rest }) =>
      Array.from({ length: 40 }, (_, index) => ({ door, ...rest, subscriberId: `${door}-${index}` })),
    )

    const acknowledged: string[] = []
    const write = async (writer: string) => {
      for (let count = 0; ; count += 1) {
        const { body } = await send(address, key, createSubscriber, { subscriberId: `${writer}-${count}` })
        acknowledged.push(body.data.createSubscriber.subscriber.subscriberId)
      }
    }
    const writing = ['ada', 'grace', 'katherine', 'dorothy'].map((writer) => write(writer).catch(() => {}))
    await until(() => Promise.resolve(acknowledged.length >= 100 || undefined))

    const answered = new Map<string, unknown>()
    const answeredBy = (one: string) => [...answered.keys()].filter((subscriberId) => subscriberId.startsWith(one))
    const createFirst = async ({ create, subscriberId }: (typeof everything)[number]) => {
      const { body } = await create(address, key, subscriberId)
      answered.set(subscriberId, body)
      if (doors.every(({ door }) => answeredBy(door).length >= 10)) gateway.child.kill('SIGKILL')
    }
    await Promise.allSettled([...everything.map(createFirst), ...writing])
    expect(await gateway.ended).toBe('SIGKILL')

    const again = await started(settings)
    for (const { create, done, subscriberId } of everything) {
      // PostgreSQL can take a moment to notice that the process is gone; until then its requests are in flight.
      const answer = await until(async () => {
        const { status, body } = await create(again.address, key, subscriberId)
        return status === 409 && body.subscriberId === undefined ? undefined : { status, body }
      })
      expect(answer).toMatchObject(done(subscriberId))
      expect(answer.body).toEqual(answered.get(subscriberId) ?? answer.body)
    }
    const stored = await subscriberIds(again.address, key)
    expect(acknowledged.filter((subscriberId) => !stored.has(subscriberId))).toEqual([])
    expect([...stored].filter((subscriberId) => /^(graph|rest)-/.test(subscriberId))).toHaveLength(everything.length)
  })
})

describe('a process with an uncaught error', () => {
  /** The gateway, with a fault caused by a signal. */
  async function faulty(fault: string): Promise<string> {
    const module = path.join(await temporaryFolder(), 'faulty.mjs')
    const main = path.join(import.meta.dirname, '../../dist/main.js')
    await writeFile(module, `process.on('SIGUSR2', () => { ${fault} })\nawait import(${JSON.stringify(main)})\n`)
    return module
  }

  test.each([
    ['a rejection without a listener', "void Promise.reject(new Error('lost'))", 'unhandledRejection'],
    ['an error in a listener', "throw new Error('lost')", 'uncaughtException'],
  ])('logs %s with its stack, finishes requests in flight and exits with 1', async (_what, fault, origin) => {
    const { gateway, address, keys } = await started(await freshSettings(), await faulty(fault))
    const inFlight = await requestInFlight(address, keys[0] ?? '', keepAliveAgent())
    gateway.child.kill('SIGUSR2')
    const [line] = await gateway.prints(/^.*uncaught error.*$/m)
    expect(JSON.parse(line)).toMatchObject({
      level: 60,
      origin,
      err: { message: 'lost', stack: expect.stringContaining('faulty.mjs') },
    })
    await gateway.prints(/stopping/)
    expect(await inFlight.finish()).toMatchObject({ status: 200, connection: 'close' })
    expect(await gateway.ended).toBe(1)
  })
})

describe('a process that receives a signal', () => {
  test('finishes requests in flight, ends its streams with an error, waits for no idle connection and exits with 0', async () => {
    const { gateway, address, keys } = await started(await freshSettings())
    const [key = ''] = keys
    await send(address, key, createSubscriber, { subscriberId: 'grace' })
    const query = 'subscription { notificationCountsChanged(subscriberId: "grace") { unread } }'
    const streams = await Promise.all(transports.map(([, follow]) => follow(address, `ApiKey ${key}`, { query })))
    for (const stream of streams) {
      expect(await stream.next()).toEqual({ data: { notificationCountsChanged: { unread: 0 } } })
    }
    const inFlight = await requestInFlight(address, key, keepAliveAgent())
    // One idle connection that has served a request, and one that has not sent any.
    const idle = request(`${address}/health`, { agent: keepAliveAgent() })
    idle.end()
    const [answer] = await once(idle, 'response')
    answer.resume()
    const silent = connect(Number(new URL(address).port), '127.0.0.1')
    await once(silent, 'connect')

    // The immediate second signal has no effect.
    gateway.child.kill('SIGINT')
    gateway.child.kill('SIGTERM')
    await gateway.prints(/stopping/)
    for (const stream of streams) {
      expect(await stream.next()).toMatchObject({ errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] })
    }
    await until(async () =>
      fetch(`${address}/health`).then(
        () => undefined,
        () => true,
      ),
    )
    expect(await inFlight.finish()).toEqual({
      status: 200,
      connection: 'close',
      body: { data: { createSubscriber: { subscriber: { subscriberId: 'ada' }, userErrors: [] } } },
    })
    expect(await gateway.ended).toBe(0)
  })

  test('waits for no load balancer after Ctrl-C', async () => {
    const { gateway } = await started({ ...(await freshSettings()), SHUTDOWN_DELAY: '999' })
    expect(await gateway.kill('SIGINT')).toBe(0)
    expect(gateway.output()).toMatch(/"signal":"SIGINT","delaySeconds":0,"msg":"stopping"/)
  })

  test('exits with 1 at once when signals keep arriving', async () => {
    const { gateway, address, keys } = await started(await freshSettings())
    await requestInFlight(address, keys[0] ?? '', keepAliveAgent())
    let code: Awaited<GatewayProcess['ended']> | undefined
    void gateway.ended.then((ended) => (code = ended))
    await until(async () => {
      gateway.child.kill('SIGTERM')
      return code
    })
    expect(code).toBe(1)
  })

  onEmbedded('also exits with 0 during startup and releases its directory lock', async () => {
    const settings = await freshSettings()
    const held = async () => (await readdir(settings.DATA_DIR)).some((name) => name.startsWith('lock-'))
    const gateway = startGateway(settings)
    await until(async () => ((await held()) ? true : undefined))
    expect(await gateway.kill('SIGTERM')).toBe(0)
    expect(await held()).toBe(false)
  })
})
