// Requests per second and CPU time per request, as ratios to a bare server that gives the same answers from the same
// database.
// `npx tsx bench/read.ts [postgresql://...] [--subscribers=20000] [--rounds=3] [--seconds=1.5] [--cases=list,nested]
//  [--before=../other-checkout]`
// starts the built gateway (`npm run build`) on a temporary embedded database, or on a temporary database of the given
// PostgreSQL server, and compares it with `read/bare.ts`. Both are loaded in turn, in rounds. The bare server uses the
// gateway's own connection pool. On PostgreSQL, both work on one database. The embedded database belongs to one
// process, so the bare server has a copy of it in its own. With `--before`, the built gateway of another checkout, such
// as the commit before a change, takes the place of the bare server. CPU times are measured on Linux, those of
// PostgreSQL only if it runs on this machine.
import { deepStrictEqual } from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { Pool } from 'undici'
import type { DatabaseLocation } from '../src/data/driver/database-location.ts'
import { newKeyRing } from '../src/lib/cipher.ts'
import type { BareServer } from './read/bare.ts'
import { type Case, casesOf, type CaseName, type Scale } from './read/cases.ts'
import { API_KEY, prepare } from './read/prepare.ts'
import { startGateway } from './support/gateway-process.ts'
import { cpuTime, load, type LoadRequest } from './support/load.ts'
import { median } from './support/median.ts'
import { createDatabase } from './support/temporary-database.ts'

const {
  values: options,
  positionals: [url],
} = parseArgs({
  allowPositionals: true,
  options: {
    subscribers: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '1.5' },
    cases: { type: 'string' },
    before: { type: 'string' },
  },
})
const scale: Scale = { subscribers: Number(options.subscribers) }
const rounds = Number(options.rounds)
const milliseconds = Number(options.seconds) * 1000
const chosen = options.cases?.split(',')
/** Milliseconds of load on each server before the first round. */
const WARM_UP = 500

const headers = { authorization: `ApiKey ${API_KEY}`, 'content-type': 'application/json' }

interface Server {
  readonly child: ChildProcess
  readonly pool: Pool
  /** The request of a case, in the form that this server expects. */
  readonly request: (from: Case, turn: number) => LoadRequest
}

interface Figures {
  /** Requests per second. */
  readonly requests: number
  /** CPU time of the server per request, in microseconds. */
  readonly cpu: number
  /** CPU time of PostgreSQL per request. */
  readonly databaseCpu: number
}

/** Microseconds of CPU time by process of PostgreSQL. */
type Backends = ReadonlyMap<number, number>
/** Undefined on the embedded database. */
type ReadBackends = () => Promise<Backends | undefined>

/** @returns a function that reads the CPU times of the processes that serve a database's connections. */
async function watchBackends(database: string): Promise<{ read: () => Promise<Backends>; close: () => Promise<void> }> {
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  return {
    async read() {
      const { rows } = await client.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity
         WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
      )
      return new Map(await Promise.all(rows.map(async ({ pid }) => [pid, (await cpuTime(pid)) ?? NaN] as const)))
    },
    close: () => client.end(),
  }
}

/** @returns NaN if no times are known. */
const usedBetween = (before?: Backends, after?: Backends) =>
  after ? [...after].reduce((sum, [pid, time]) => sum + time - (before?.get(pid) ?? 0), 0) : NaN

let turn = 1000

async function measure(server: Server, from: Case, duration: number, backends: ReadBackends): Promise<Figures> {
  const [cpuBefore = NaN, before] = await Promise.all([cpuTime(server.child.pid), backends()])
  const { responses, elapsed } = await load(server.pool, {
    connections: from.connections,
    milliseconds: duration,
    headers,
    next: () => server.request(from, (turn += 1)),
  })
  const [cpuAfter = NaN, after] = await Promise.all([cpuTime(server.child.pid), backends()])
  return {
    requests: (responses * 1000) / elapsed,
    cpu: (cpuAfter - cpuBefore) / responses,
    databaseCpu: usedBetween(before, after) / responses,
  }
}

/**
 * @returns the length of the response to a case in bytes. @throws AssertionError if the response of the bare server
 *   differs. An earlier version may lack fields.
 */
async function compare(gateway: Server, bare: Server, from: Case): Promise<number> {
  turn += 1
  const [answer, bareAnswer] = await Promise.all(
    [gateway, bare].map(async (server) => {
      const { path: target, ...request } = server.request(from, turn)
      const { body } = await server.pool.request({ path: target, headers, ...request })
      return body.text()
    }),
  )
  const withoutTimeOfWrite = (text = ''): unknown =>
    JSON.parse(text, (key, value: unknown) => (key === 'updatedAt' ? undefined : value))
  if (options.before === undefined) deepStrictEqual(withoutTimeOfWrite(answer), withoutTimeOfWrite(bareAnswer))
  return Buffer.byteLength(answer ?? '')
}

/** The figures of the two servers in one round. */
interface Round {
  readonly gateway: Figures
  readonly bare: Figures
}

const peer = options.before === undefined ? 'bare' : 'before'
const columns = ['req/s', `of ${peer}`, 'CPU µs', `× ${peer}`, 'PostgreSQL µs', `of ${peer}`, 'statements', 'bytes']

function report({ title }: Case, results: readonly Round[], statements: number | undefined, bytes: number | undefined) {
  const of = (figure: keyof Figures) => median(results.map(({ gateway }) => gateway[figure]))
  const ratio = (figure: keyof Figures) => median(results.map(({ gateway, bare }) => gateway[figure] / bare[figure]))
  const show = (value: number, digits: number) => (Number.isFinite(value) ? value.toFixed(digits) : '-')
  const cells = [
    show(of('requests'), 0),
    show(ratio('requests'), 2),
    show(of('cpu'), 0),
    show(ratio('cpu'), 2),
    show(of('databaseCpu'), 0),
    show(ratio('databaseCpu'), 2),
    String(statements),
    String(bytes),
  ]
  console.log([title.padEnd(32), ...cells.map((cell, index) => cell.padStart(columns[index]?.length ?? 0))].join('  '))
}

async function startBare(options: BareServer): Promise<Server> {
  const child = fork(path.join(import.meta.dirname, 'read/bare.ts'))
  child.send(options)
  const [port] = (await once(child, 'message')) as [number]
  return {
    child,
    pool: new Pool(`http://127.0.0.1:${port}`),
    request: (from, turn) => ({ ...from.request(turn), path: `/${from.name}` }),
  }
}

async function start(settings: NodeJS.ProcessEnv, checkout?: string): Promise<Server> {
  const { child, address } = await startGateway({ ...settings, RATE_LIMIT: 'off' }, checkout)
  return { child, pool: new Pool(address), request: (from, turn) => from.request(turn) }
}

async function compareServers(
  gateway: Server,
  bare: Server,
  cases: readonly Case[],
  statements: ReadonlyMap<CaseName, number>,
  backends: ReadBackends,
): Promise<void> {
  const bytes = new Map<Case, number>()
  for (const from of cases) bytes.set(from, await compare(gateway, bare, from))
  const results = new Map(cases.map((from) => [from, new Array<Round>()]))
  const runRound = async (of: readonly Case[], index: number) => {
    for (const from of of) {
      // The order alternates, so that neither server always runs after the other.
      const first = index % 2 === 0 ? gateway : bare
      const second = first === gateway ? bare : gateway
      const one = await measure(first, from, milliseconds, backends)
      const other = await measure(second, from, milliseconds, backends)
      results.get(from)?.push(first === gateway ? { gateway: one, bare: other } : { gateway: other, bare: one })
    }
  }
  // Cases that create database rows come last.
  for (const group of [cases.filter(({ grows }) => !grows), cases.filter(({ grows }) => grows)]) {
    for (const from of group) {
      for (const server of [gateway, bare]) await measure(server, from, WARM_UP, backends)
    }
    for (let index = 0; index < rounds; index += 1) await runRound(group, index)
  }
  console.log(['', ...columns].map((cell, index) => (index === 0 ? cell.padEnd(32) : cell)).join('  '))
  for (const [from, found] of results) report(from, found, statements.get(from.name), bytes.get(from))
}

const folder = await mkdtemp(path.join(tmpdir(), 'gateway-bench-'))
const directory = path.join(folder, 'gateway')
const database = url === undefined ? undefined : await createDatabase(url, 'read')
const children: ChildProcess[] = []
try {
  const keyRing = newKeyRing()
  const location: DatabaseLocation = database === undefined ? { directory } : { url: database.url }
  const { cursor, statements } = await prepare(location, keyRing, scale)
  const copy = path.join(folder, 'bare')
  if (database === undefined) await cp(directory, copy, { recursive: true })

  const settings = { ENCRYPTION_KEYS: keyRing, ...(database && { DATABASE_URL: database.url }) }
  const gateway = await start({ ...settings, DATA_DIR: directory })
  children.push(gateway.child)
  const bare =
    options.before === undefined
      ? await startBare({ location: database === undefined ? { directory: copy } : location, scale })
      : await start({ ...settings, DATA_DIR: copy }, options.before)
  children.push(bare.child)
  const backends = database && (await watchBackends(database.url))
  console.log(
    `${database ? 'PostgreSQL' : 'embedded'}, ${scale.subscribers} subscribers, Node.js ${process.version}: medians of ${rounds} rounds of ${milliseconds / 1000} s`,
  )
  const cases = casesOf(scale, cursor).filter(({ name }) => chosen?.includes(name) ?? true)
  try {
    await compareServers(gateway, bare, cases, statements, backends?.read ?? (async () => undefined))
  } finally {
    // Otherwise, its connection would fail below, in the place of the error that ends the program.
    await backends?.close()
  }
} finally {
  for (const child of children) {
    child.kill('SIGKILL')
    await once(child, 'close')
  }
  await database?.remove()
  await rm(folder, { recursive: true })
}
