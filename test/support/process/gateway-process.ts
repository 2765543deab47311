// The real gateway process, as started by `npm start`. Tests start it, read its output, call it and end it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { pino } from 'pino'
import { inject, onTestFinished } from 'vitest'
import { type Database, openDatabase } from '../../../src/data/connection/database.ts'
import { holdDirectory } from '../../../src/data/embedded/directory-lock.ts'
import type { Accepted } from '../../../src/data/trigger.ts'
import { KeyUses } from '../../../src/data/access/key-uses.ts'
import { ConnectedSubscribers } from '../../../src/data/online/connected-subscribers.ts'
import { TriggerTraces } from '../../../src/data/trigger-traces.ts'
import { bootstrap } from '../../../src/domain/access/bootstrap.ts'
import { createOutbound } from '../../../src/delivery/network/outbound.ts'
import { createProviderDirectory } from '../../../src/delivery/sending/provider-directory.ts'
import { onlyMain } from '../../../src/domain/resolver/databases.ts'
import type { Gateway } from '../../../src/domain/resolver/scope.ts'
import { openCallerCache } from '../../../src/domain/resolver/caller-cache.ts'
import { openWebhookInterest } from '../../../src/domain/resolver/webhook-interest.ts'
import { createChangeWatch } from '../../../src/domain/resolver/change-watch.ts'
import { openFeedWatch } from '../../../src/domain/resolver/feed-watch.ts'
import { createEvaluator } from '../../../src/evaluation/evaluator.ts'
import { Cipher } from '../../../src/lib/cipher.ts'
import { CountCache } from '../../../src/lib/count-cache.ts'
import { Groups } from '../../../src/lib/groups.ts'
import { noMetrics } from '../../../src/lib/metrics.ts'
import { newId } from '../../../src/lib/new-id.ts'
import { LogCounter } from '../../../src/lib/log-counter.ts'
import { defaultStreamLimits, OpenCount } from '../../../src/lib/stream-limits.ts'
import { copyOf } from '../prepare.ts'

const root = path.join(import.meta.dirname, '../../..')
const dist = path.join(root, 'dist')
const main = path.join(dist, 'main.js')
const commandLine = path.join(dist, 'command-line.js')

function isBuilt(): boolean {
  const source = path.join(root, 'src')
  // Vite builds the pages, which only the tests that open them need (dashboard.ts).
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (file) => !/^(dashboard|inbox)\b/.test(file),
  )
  const changed = Math.max(...files.map((file) => statSync(path.join(source, file)).mtimeMs))
  return existsSync(main) && statSync(main).mtimeMs > changed
}

/** Builds the files that `npm start` runs, unless they are up to date. Of concurrent test files, only one builds. */
export async function build(): Promise<void> {
  await mkdir(dist, { recursive: true })
  const letGo = await until(() => holdDirectory(dist))
  try {
    if (isBuilt()) return
    // Type checking happens elsewhere and would take most of the time.
    const compiler = ['node_modules/typescript/bin/tsc', '-p', '.config/tsconfig.build.json', '--noCheck']
    const [code] = await once(spawn(process.execPath, compiler, { cwd: root, stdio: 'inherit' }), 'close')
    if (code !== 0) throw new Error('the code cannot be built')
  } finally {
    await letGo()
  }
}

/** Creates a folder that is removed when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gateway-process-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Environment variables of a gateway. */
export type Settings = Readonly<Record<string, string>>

/** Settings for a gateway with its own empty database, embedded or PostgreSQL like the rest of the tests. */
export async function freshSettings(): Promise<Settings & { DATA_DIR: string }> {
  const { location, remove } = await copyOf(inject('template'))
  onTestFinished(remove)
  if (location.directory !== undefined) return { DATA_DIR: location.directory }
  return { DATABASE_URL: location.url, DATA_DIR: await temporaryFolder() }
}

/**
 * Repeats an attempt until it returns a result, with a pause in milliseconds. Only the timeout of the test stops it.
 */
export async function until<Result>(attempt: () => Promise<Result | undefined>, pause = 20): Promise<Result> {
  for (;;) {
    const result = await attempt().catch(() => undefined)
    if (result !== undefined) return result
    await setTimeout(pause)
  }
}

export interface GatewayProcess {
  readonly child: ChildProcess
  /** Everything printed so far to stdout and stderr. */
  output(): string
  /** Waits until the output matches. @throws if the process ends first. */
  prints(pattern: RegExp): Promise<RegExpMatchArray>
  /** Waits for the process to print its address. */
  address(): Promise<string>
  /** The printed API keys, in order. */
  keys(): string[]
  /** The exit code, or the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals | null>
  kill(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>
}

/** Opens the database of a gateway in this process. No other process may be using an embedded one. */
export async function withDatabase<Result>(
  settings: Settings,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const { DATABASE_URL: url, DATA_DIR: directory = '' } = settings
  const database = await openDatabase(url === undefined ? { directory } : { url })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** Bootstraps a database as the first start of a gateway with these settings would. */
export async function bootstrapAs({ ENCRYPTION_KEYS = '', BOOTSTRAP_API_KEY }: Settings, database: Database) {
  const callers = await openCallerCache(database, () => 0)
  const log = pino({ level: 'silent' })
  const webhooks = await openWebhookInterest(database, () => 0, log)
  const open = new OpenCount(defaultStreamLimits, 'streams')
  const feeds = await openFeedWatch(database, log, open)
  const cipher = new Cipher(ENCRYPTION_KEYS)
  const now = () => new Date()
  const changes = createChangeWatch({ db: database.client, now, logger: log, open })
  const counts = new CountCache(now)
  const evaluator = createEvaluator(() => {})
  const acceptance = new Groups<Accepted, boolean>()
  const providers = createProviderDirectory({ outbound: createOutbound({ allowPrivateAddresses: false }), logger: log })
  const shared: Gateway = {
    ...{
      db: database.client,
      database: null,
      databases: onlyMain(() => shared),
      cipher,
      now,
      newId,
      feeds,
      changes,
      callers,
      counts,
    },
    ...{ unknownKeys: new LogCounter(() => {}), evaluator, acceptance, log, metrics: noMetrics, providers },
    triggerTraces: new TriggerTraces(),
    keyUses: new KeyUses(),
    connected: new ConnectedSubscribers(newId(), now),
    publicUrl: undefined,
    webhooks,
  }
  await bootstrap(shared, BOOTSTRAP_API_KEY)
  // The first environment captures messages. The tests are about sending them.
  await database.client.environment.updateMany({ data: { sending: 'live' } })
  await feeds.close()
  callers.close()
  webhooks.close()
}

/**
 * The budget after which V8 optimizes the WebAssembly of the embedded database. By default, that happens within
 * seconds, and takes longer than it saves in a process that is soon killed.
 */
const TIERING_BUDGET = '--wasm-tiering-budget=200000000'

/** Starts the gateway on a free port. @param module Defaults to this version's. */
function spawnGateway(settings: Settings, module: string): GatewayProcess {
  const child = spawn(process.execPath, [TIERING_BUDGET, module], {
    // Excludes the environment variables and the `.env` file of the person who runs the tests.
    cwd: tmpdir(),
    env: { PORT: '0', METRICS_PORT: 'off', SHUTDOWN_DELAY: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (printed: string) => {
      output += printed
      child.emit('output')
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal)
  const gateway: GatewayProcess = {
    child,
    ended,
    output: () => output,
    async prints(pattern) {
      for (;;) {
        const found = pattern.exec(output)
        if (found) return found
        const over = await Promise.race([ended.then(() => true), once(child, 'output').then(() => false)])
        if (over && !pattern.test(output)) throw new Error(`the process ended and printed only:\n${output}`)
      }
    },
    async address() {
      const [, address = ''] = await gateway.prints(/Listening on (\S+)\n/)
      return address
    },
    keys: () => [...output.matchAll(/^ {2}\S+ +(ng_\S+)$/gm)].map(([, key = '']) => key),
    kill(signal) {
      child.kill(signal)
      return ended
    },
  }
  return gateway
}

/** Starts the gateway on a free port, and kills it when the test ends. @param module Defaults to this version's. */
export function startGateway(settings: Settings, module = main): GatewayProcess {
  const gateway = spawnGateway(settings, module)
  onTestFinished(async () => {
    await gateway.kill('SIGKILL')
  })
  return gateway
}

/**
 * Starts the command line as `npx notification-gateway` does. `ended` resolves with the exit code or signal, and the
 * output.
 */
export function startCommand(settings: Settings, words: readonly string[]) {
  const child = spawn(process.execPath, [TIERING_BUDGET, commandLine, ...words], {
    cwd: tmpdir(),
    env: { ...settings },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  // The process may end before it has read everything.
  child.stdin.on('error', () => {})
  const printed = Promise.all([text(child.stdout).catch(() => ''), text(child.stderr), once(child, 'close')])
  const ended = printed.then(([stdout, stderr, [code, signal]]) => ({ code: code ?? signal, stdout, stderr }))
  return { child, ended }
}

/** Runs the command line. @returns the exit code or the signal, and the output. */
export function runCommand(settings: Settings, words: readonly string[], stdin = '') {
  const { child, ended } = startCommand(settings, words)
  child.stdin.end(stdin)
  return ended
}

async function ready(gateway: GatewayProcess) {
  const address = await gateway.address()
  await until(async () => ((await fetch(`${address}/ready`)).ok ? true : undefined))
  return { gateway, address, keys: gateway.keys() }
}

/** Starts a gateway and waits until it is ready. @returns its address and the printed API keys. */
export const started = (settings: Settings, module = main) => ready(startGateway(settings, module))

/** The same for a gateway that several tests use: the caller kills it. */
export const startedForMany = (settings: Settings) => ready(spawnGateway(settings, main))

/** Sends a GraphQL operation over the network. @returns the status, headers and body of the response. */
export async function send(
  address: string,
  key: string,
  query: string,
  variables: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `ApiKey ${key}`, ...headers },
    body: JSON.stringify({ query, variables }),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}
