// The real application on a throwaway database, and clients that call it.
import { afterAll, beforeAll, inject } from 'vitest'
import type { App, AppOptions } from '../../src/app.ts'
import type { Clock } from '../../src/data/connection/clock.ts'
import type { Database } from '../../src/data/connection/database.ts'
import type { DatabaseLocation } from '../../src/data/driver/database-location.ts'
import { bootstrap } from '../../src/domain/access/bootstrap.ts'
import type { Gateway } from '../../src/domain/resolver/scope.ts'
import type { Threads } from '../../src/evaluation/threads.ts'
import { type OpenGateway, openGateway } from '../../src/gateway.ts'
import { largestPlan, type RateLimiterOptions } from '../../src/http/rate-limit.ts'
import { REQUEST_ANSWERED } from '../../src/http/request-record.ts'
import { Cipher, newKeyRing } from '../../src/lib/cipher.ts'
import { createLogger } from '../../src/lib/log.ts'
import type { GatewayMetrics } from '../../src/metrics/registry.ts'
import { contractOf } from './contract.ts'
import { borrowDatabase, type LentDatabase, openOwnDatabase } from './databases.ts'
import { sharedThreads } from './evaluation.ts'
import type { DataOf, PayloadOf } from './graph.ts'
import type { RestBody } from './rest-body.ts'
import { readStream, type Stream, subscribing } from './stream.ts'

export interface GraphqlError {
  readonly message: string
  readonly path?: readonly (string | number)[]
  readonly extensions?: Readonly<Record<string, unknown>>
}

/** The response to an operation. If the operation failed as a whole, its data is null, whatever its type is. */
export interface Answer<Data = unknown> {
  readonly status: number
  readonly headers: Headers
  readonly data: Data
  readonly errors: readonly GraphqlError[]
}

export interface RestAnswer<Body = RestBody> {
  readonly status: number
  readonly headers: Headers
  /** Parsed JSON, text if the body is not JSON, or undefined without a body. */
  readonly body: Body
}

export interface RestRequest {
  /** Strings, bytes and streams are sent as they are, everything else as JSON. */
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** An Authorization scheme. */
export type Scheme = 'ApiKey' | 'Session' | 'Bearer' | 'Environment' | 'Dashboard'

/** A caller, usually with an API key. */
export interface Client {
  /** The credential after the scheme in the Authorization header. */
  readonly key: string
  /** Sends an operation and returns the response, even if it has errors. */
  send<const Query extends string>(
    query: Query,
    variables?: Record<string, unknown>,
    headers?: Record<string, string>,
  ): Promise<Answer<DataOf<Query>>>
  /** Sends an operation and returns its data. Throws if there are errors. */
  ask<const Query extends string>(query: Query, variables?: Record<string, unknown>): Promise<DataOf<Query>>
  /** The same for an operation whose text the test builds. The test names the type of the data. */
  ask<Data extends object>(query: string, variables?: Record<string, unknown>): Promise<Data>
  /** Runs one mutation by name and returns its payload, with `fields` in addition to userErrors. */
  act<const Name extends string, const Fields extends string = ''>(
    mutation: Name,
    input: Record<string, unknown>,
    fields?: Fields,
  ): Promise<PayloadOf<Name, Fields>>
  /** Opens a subscription. */
  follow(query: string, variables?: Record<string, unknown>, headers?: Record<string, string>): Promise<Stream>
  /**
   * Calls the REST API: `rest('PATCH /v2/subscribers/ada', { body: { lastName: null } })`. Throws if the answer
   * violates the OpenAPI document. A test that reads fields other than those of `RestBody` names the type of the body.
   */
  rest<Body = RestBody>(target: `${string} /${string}`, request?: RestRequest): Promise<RestAnswer<Body>>
}

export interface World {
  readonly app: App
  readonly database: Database
  readonly gateway: Gateway
  readonly metrics: GatewayMetrics
  readonly shards: OpenGateway['shards']
  readonly housekeeping: OpenGateway['housekeeping']
  /** Log lines of the application, parsed. */
  readonly logged: Record<string, unknown>[]
  /** A client of the environment Development, which exists from the start. */
  readonly development: Client
  readonly production: Client
  /** Creates an empty environment and returns a client of it. */
  environment(name?: string): Promise<Client>
  client(key: string, scheme?: Scheme): Client
  /**
   * Runs all queued jobs, before which triggers have no effect, and writes the traces of triggers without an event.
   *
   * @param early also runs jobs that are due later: steps after a delay, and further attempts.
   */
  work(options?: { readonly early?: boolean }): Promise<void>
  /** Reads what changed of events and messages, for the open streams. Nothing else reads it in a world. */
  look(): Promise<void>
  /** Stops the clock at a time; undefined lets it run again. */
  setClock(time: Date | undefined): void
}

/** @param logged the application's log lines. The last one is shown if the gateway reports a fault. */
export function createClient(
  app: App,
  key: string,
  logged: readonly Record<string, unknown>[] = [],
  scheme: Scheme = 'ApiKey',
): Client {
  const client = {
    key,
    async send(
      query: string,
      variables: Record<string, unknown> = {},
      headers: Record<string, string> = {},
    ): Promise<Answer> {
      const response = await app.fetch(
        new Request('http://gateway.test/graphql', {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `${scheme} ${key}`, ...headers },
          body: JSON.stringify({ query, variables }),
        }),
      )
      const { data, errors = [] } = (await response.json()) as { data?: unknown; errors?: GraphqlError[] }
      return { status: response.status, headers: response.headers, data, errors }
    },
    async ask(query: string, variables?: Record<string, unknown>): Promise<unknown> {
      const { data, errors, status } = await client.send(query, variables)
      if (errors.length > 0 || status !== 200) {
        const isFault = errors.some(({ extensions }) => extensions?.['errorId'] !== undefined)
        const cause = isFault ? `\nLogged: ${JSON.stringify(logged.at(-1), undefined, 2)}` : ''
        throw new Error(`HTTP ${status}: ${JSON.stringify(errors)}${cause}`)
      }
      return data
    },
    async act(mutation: string, input: Record<string, unknown>, fields = ''): Promise<unknown> {
      const inputType = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`
      const data = await client.ask(
        `mutation ($input: ${inputType}!) { ${mutation}(input: $input) { ${fields} userErrors { code message field } } }`,
        { input },
      )
      return Object(data)[mutation]
    },
    async follow(query: string, variables?: Record<string, unknown>, headers?: Record<string, string>) {
      return readStream(
        await app.fetch(subscribing('http://gateway.test', `${scheme} ${key}`, query, variables, headers)),
      )
    },
    async rest(target: `${string} /${string}`, { body, headers = {} }: RestRequest = {}): Promise<RestAnswer<unknown>> {
      const [method = '', path = ''] = target.split(' ')
      const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
      const asIs = typeof body === 'string' || body instanceof Buffer || body instanceof ReadableStream
      const request = new Request(`http://gateway.test${path}`, {
        method,
        headers: { authorization: `${scheme} ${key}`, ...json, ...headers },
        ...(body === undefined ? {} : { body: asIs ? body : JSON.stringify(body), duplex: 'half' }),
      })
      const response = await app.fetch(request)
      const text = await response.text()
      const contract = await contractOf(app)
      contract.assert(request, response, text)
      const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json') === true
      const answered: unknown = isJson ? JSON.parse(text) : text === '' ? undefined : text
      return { status: response.status, headers: response.headers, body: answered }
    },
  }
  // The types are inferred from the text of each operation. The schema tests check that responses match them.
  return client as Client
}

type WorldOptions = Partial<Omit<AppOptions, 'database' | 'gateway' | 'logger' | 'rateLimiter'>> &
  Partial<Pick<RateLimiterOptions, 'rates'>> & {
    /** A clock of its own, on which `setClock` has no effect. */
    readonly clock?: Clock
    /** By default, no time passes, so that the number of statements does not depend on the machine. */
    readonly stopwatch?: () => number
    /**
     * True for a database that is not shared with other files, for tests that change more than rows or inspect query
     * plans.
     */
    readonly ownDatabase?: boolean
    /** Default: true, because test receivers listen on loopback. */
    readonly allowPrivateAddresses?: boolean
    /** The encryption keys. Default: a new one. */
    readonly keyRing?: string
    /** Keeps the lines of the request log. Default: false. */
    readonly requestLog?: boolean
    /** True keeps the hashes of suppressed addresses in erasures. Default: false. */
    readonly keepsAddressHashes?: boolean
    /** The threads that evaluate code from callers. Default: those of all files in the process. */
    readonly openThreads?: () => Threads
    /** The names of databases beside the main one. Default: none. */
    readonly databases?: readonly string[]
    /** The database with the rows of new environments. Default: the main one. */
    readonly newEnvironmentsDatabase?: string
    /** Replaces the location of its own database, for tests with a proxy in front of it. */
    readonly reach?: (location: DatabaseLocation) => Promise<DatabaseLocation>
  }

/**
 * Makes the job that becomes available next available now, and lets open circuits be probed. It may have become
 * available since the last check.
 *
 * @returns false if there is none.
 */
async function advanceNextJob({ pool }: Database, now: Date): Promise<boolean> {
  await pool.query('UPDATE integration_circuits SET probe_at = $1 WHERE probe_at > $1', [now])
  const { rowCount } = await pool.query(
    `UPDATE jobs SET available_at = least(available_at, $1) WHERE (environment_id, id) = (
       SELECT environment_id, id FROM jobs WHERE held_by IS NULL ORDER BY available_at, id LIMIT 1
     )`,
    [now],
  )
  return rowCount === 1
}

/** The database beside the main one with the rows of all new environments, if `TEST_ENVIRONMENTS` says so. */
const ELSEWHERE = 'elsewhere'

/** Opens a world for the tests of one file. Its members are set before the tests run. */
export function useWorld({
  rates = largestPlan,
  ownDatabase = false,
  requestLog = false,
  keyRing = newKeyRing(),
  allowPrivateAddresses = true,
  databases = [],
  reach,
  clock,
  stopwatch = () => 0,
  openThreads = sharedThreads,
  ...options
}: WorldOptions = {}): World {
  const elsewhere = databases.length === 0 && inject('environments') === ELSEWHERE
  const world = {} as { -readonly [Key in keyof World]: World[Key] }
  let close: () => Promise<void>

  beforeAll(async () => {
    const lent = ownDatabase || reach ? await openOwnDatabase(reach) : await borrowDatabase()
    const others = new Map<string, LentDatabase>()
    for (const name of elsewhere ? [ELSEWHERE] : databases) others.set(name, await borrowDatabase())
    const logged: Record<string, unknown>[] = []
    const note = (line: Record<string, unknown>) => {
      if (requestLog || line['msg'] !== REQUEST_ANSWERED) logged.push(line)
    }
    let stopped: Date | undefined
    const looks = new Set<() => Promise<void>>()
    const opened = await openGateway({
      corsOrigins: [],
      trustedProxies: 0,
      introspection: true,
      graphiql: true,
      dashboard: true,
      ...options,
      rates,
      location: lent.location,
      openDatabase: lent.open,
      databases: [...others].map(([name, { location }]) => [name, location]),
      openOther(location, logger) {
        const other = [...others.values()].find((one) => one.location === location)
        if (other === undefined) throw new Error('no such database was lent')
        return other.open(location, logger)
      },
      openCipher: () => new Cipher(keyRing),
      logger: createLogger('debug', { write: (line) => note(JSON.parse(line)) }),
      outbound: { allowPrivateAddresses, timeout: 2_000 },
      // Messages to other processes would add to the statements that tests count.
      singleProcess: true,
      openThreads,
      clock: clock ?? { now: () => stopped ?? new Date(), measure: (read) => read() },
      stopwatch,
      repeat(read) {
        looks.add(read)
        return () => looks.delete(read)
      },
    })
    close = async () => {
      await opened.close()
      await lent.giveBack()
      for (const other of others.values()) await other.giveBack()
    }
    const { app, worker, metrics } = opened
    const keys = await bootstrap(opened.shared)
    // The first environment captures messages. Most tests are about sending them.
    await opened.database.client.environment.updateMany({ data: { sending: 'live' } })
    opened.shared.callers.sending.clear()
    const [other] = elsewhere ? opened.shards() : []
    const { database, gateway } = other ?? { database: opened.database, gateway: opened.shared }
    const housekeeping = other?.background.housekeeping ?? opened.housekeeping
    const [development, production] = keys.map(({ key }) => createClient(app, key, logged))
    if (!development || !production) throw new Error('the first start made no keys')
    let environments = 0
    Object.assign(world, {
      app,
      database,
      gateway,
      metrics,
      shards: opened.shards,
      housekeeping,
      logged,
      development,
      production,
      client: (key: string, scheme?: Scheme) => createClient(app, key, logged, scheme),
      async environment(name = `Environment ${(environments += 1)}`) {
        const { newApiKey } = await development.act(
          'createEnvironment',
          { name, color: '#059669', ...(elsewhere && { database: ELSEWHERE }) },
          'newApiKey { key }',
        )
        return createClient(app, newApiKey.key, logged)
      },
      async work({ early = false } = {}) {
        const all = [
          { housekeeping: opened.housekeeping, worker },
          ...opened.shards().map(({ background }) => background),
        ]
        for (const { housekeeping: own } of all) await own.perform('unprocessed_triggers')
        const databases = [opened.database, ...opened.shards().map((other) => other.database)]
        const advance = async () => {
          for (const one of databases) if (await advanceNextJob(one, gateway.now())) return true
          return false
        }
        do for (const { worker: own } of all) await own.drain()
        while (early && (await advance()))
      },
      async look() {
        for (const look of looks) await look()
      },
      setClock(time: Date | undefined) {
        stopped = time
      },
    } satisfies World)
  })
  afterAll(() => close())
  return world
}
