// The worst that one environment can do to another: attacks by one, response times of the other.
// `npx tsx bench/neighbour.ts [postgresql://...] [--attack='dead DNS']` starts the built gateway (`npm run build`) on a
// temporary embedded database, or on a temporary database of the given PostgreSQL server. It runs each attack alone, then
// all together, then kills the gateway under attack and starts it again. With `--attack`, which can be repeated, it runs
// only those attacks, each alone. It ends with 1 if a figure is over its bound.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { Answers, Assignment, Report } from './neighbour/attacker.ts'
import { attacksOf } from './neighbour/attacks.ts'
import { asking, startNameServer } from './neighbour/name-server.ts'
import { openProbe, type Samples } from './neighbour/probe.ts'
import { startGateway } from './support/gateway-process.ts'
import { peakMemory } from './support/memory.ts'
import { percentile } from './support/percentile.ts'
import { createDatabase } from './support/temporary-database.ts'

/** Milliseconds of each attack, and of all attacks together. */
const ALONE = 8_000
const TOGETHER = 20_000

const {
  values: { attack: chosen },
  positionals: [url],
} = parseArgs({ allowPositionals: true, options: { attack: { type: 'string', multiple: true } } })

const all = attacksOf('').map(({ name }) => name)
const names = chosen ?? all
for (const name of names) if (!all.includes(name)) throw new Error(`"${name}" is none of: ${all.join(', ')}`)

/** Milliseconds: p99 of the other environment. */
const bounds = {
  // On one connection, the database's thread competes with more of the loop's work.
  health: url === undefined ? 300 : 100,
  request: 300,
  feed: 2_000,
  message: 2_000,
} as const satisfies Record<keyof Samples, number>
/** Bytes of resident memory. */
const MAX_MEMORY = 1024 ** 3

/**
 * Runs attacks in a process of their own, so that they do not slow down the measurement. Resolves when they begin:
 * before that, the process loads its code and builds its requests, which occupies a processor for seconds.
 */
async function startAttacker(assignment: Assignment): Promise<{
  readonly stop: () => Promise<Answers>
  readonly done: Promise<Answers>
}> {
  const child = fork(path.join(import.meta.dirname, 'neighbour/attacker.ts'))
  const begins = new Promise<void>((resolve) => {
    child.on('message', (report: Report) => report === 'begins' && resolve())
  })
  const done = new Promise<Answers>((resolve) => {
    child.on('message', (report: Report) => report !== 'begins' && resolve(report))
  })
  child.send(assignment)
  await begins
  return {
    done,
    async stop() {
      child.send('stop')
      return done
    },
  }
}

/** The measurements with a figure over its bound. */
const failures = new Set<string>()

/** Prints one line per measurement, with `!` next to each figure over its bound. */
function report(name: string, samples: Samples, answers: Answers, memory: number | undefined): void {
  const figures = Object.entries(bounds).map(([kind, bound]) => {
    const values = samples[kind as keyof Samples]
    const p99 = percentile(values, 0.99)
    const over = !(p99 <= bound)
    if (over) failures.add(name)
    return `${kind} ${p99.toFixed(0)}/${Math.max(...values).toFixed(0)}${over ? '!' : ''}`
  })
  const tooLarge = memory !== undefined && memory > MAX_MEMORY
  if (tooLarge) failures.add(name)
  const megabytes = memory === undefined ? '?' : `${(memory / 1024 ** 2).toFixed(0)}${tooLarge ? '!' : ''}`
  const counts = Object.entries(answers).map(([answer, count]) => `${count} × ${answer}`)
  console.log(
    [
      name.padEnd(26),
      ...figures.map((figure) => figure.padEnd(18)),
      `${megabytes} MB`.padEnd(9),
      counts.join(', '),
    ].join(' '),
  )
}

async function measure(settings: NodeJS.ProcessEnv): Promise<void> {
  let gateway = await startGateway(settings)
  const [attackerKey = '', neighbourKey = ''] = gateway.keys
  const publicIdentifier = await readPublicIdentifier(gateway.address, attackerKey)
  const assign = (attacks: readonly string[], preparing = false): Assignment => {
    return { address: gateway.address, key: attackerKey, publicIdentifier, attacks, preparing }
  }
  let probe = await openProbe(gateway.address, neighbourKey)
  await (
    await startAttacker(assign(names, true))
  ).done
  report('none', await probe.run(ALONE), {}, await peakMemory(gateway.child))
  for (const name of names) {
    const attacker = await startAttacker(assign([name]))
    const samples = await probe.run(ALONE)
    report(name, samples, await attacker.stop(), await peakMemory(gateway.child))
  }
  const end = async () => {
    probe.close()
    gateway.child.kill('SIGKILL')
    await once(gateway.child, 'close')
  }
  if (chosen !== undefined) return end()
  const attacker = await startAttacker(assign(names))
  const samples = await probe.run(TOGETHER)
  report('all', samples, {}, await peakMemory(gateway.child))

  await end()
  const answers = await attacker.stop()
  gateway = await startGateway(settings)
  probe = await openProbe(gateway.address, neighbourKey)
  report('after kill -9 and restart', await probe.run(TOGETHER), answers, await peakMemory(gateway.child))
  await end()
}

async function readPublicIdentifier(address: string, key: string): Promise<string> {
  const response = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `ApiKey ${key}` },
    body: JSON.stringify({ query: '{ environment { identifier } }' }),
  })
  const { data } = (await response.json()) as { data: { environment: { identifier: string } } }
  return data.environment.identifier
}

const directory = await mkdtemp(path.join(tmpdir(), 'gateway-bench-'))
const database = url === undefined ? undefined : await createDatabase(url, 'neighbour')
const nameServer = await startNameServer()
try {
  console.log(
    `${database ? 'PostgreSQL' : 'embedded'}: p99/worst of the other environment in ms, peak memory, answers to the attacker; load ${loadavg()[0]?.toFixed(1)}`,
  )
  await measure({
    DATA_DIR: directory,
    // The receiver of messages is on loopback.
    ALLOW_PRIVATE_ADDRESSES: 'on',
    ...asking(nameServer),
    ...(database && { DATABASE_URL: database.url }),
  })
} finally {
  nameServer.close()
  await database?.remove()
  await rm(directory, { recursive: true })
}
process.exit(failures.size > 0 ? 1 : 0)
