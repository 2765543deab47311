// Fairness inside one environment: the time of an urgent message behind a provider that hangs, and beside a broadcast.
// `npx tsx bench/fairness.ts [postgresql://...] [--hanging=200,10000] [--broadcast=3000] [--rounds=2]` starts the
// built gateway (`npm run build`) on temporary embedded databases, or on temporary databases of the given server. It
// ends with 1 if a figure is over its bound.
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { groupBy } from '../src/lib/group-by.ts'
import { openSubject, type Subject, type Workflow } from './fairness/subject.ts'
import { median } from './support/median.ts'
import { percentile } from './support/percentile.ts'
import { createDatabase } from './support/temporary-database.ts'

const {
  values: options,
  positionals: [server],
} = parseArgs({
  allowPositionals: true,
  options: {
    hanging: { type: 'string', default: '200,10000' },
    broadcast: { type: 'string', default: '3000' },
    rounds: { type: 'string', default: '2' },
  },
})
/** Messages that wait for a hanging provider. */
const HANGING = options.hanging.split(',').map(Number)
/** Emails of a broadcast. */
const BROADCAST = Number(options.broadcast)
/** Number of broadcasts beside other messages, and of broadcasts alone. */
const ROUNDS = Number(options.rounds)
/** Milliseconds that a provider takes to answer an email of a broadcast. */
const DELAY = 100
/** Subscribers that receive messages through the hanging provider. */
const SUBSCRIBERS = 100
/** Milliseconds of measurement beside a hanging provider: longer than the time limit of a request. */
const MEASURED = 20_000
/** Milliseconds between triggers. */
const INTERVAL = 100
/** Milliseconds: p99 from a trigger to the arrival of its message. */
const BOUND = 2_000

type Latencies = ReadonlyMap<Workflow, readonly number[]>

/**
 * Triggers each workflow every `INTERVAL` until `done` resolves. A failed trigger counts as one whose message never
 * arrives.
 */
async function measure(subject: Subject, workflows: readonly Workflow[], done: Promise<unknown>): Promise<Latencies> {
  const ending = new AbortController()
  const end = done.finally(() => ending.abort())
  const latencies: Promise<readonly [Workflow, number]>[] = []
  while (!ending.signal.aborted) {
    for (const workflow of workflows) {
      const one = subject.latency(workflow).catch(() => Infinity)
      latencies.push(one.then((latency) => [workflow, latency]))
    }
    await pause(INTERVAL)
  }
  await end
  const measured = groupBy(await Promise.all(latencies), ([workflow]) => workflow)
  return new Map([...measured].map(([workflow, values]) => [workflow, values.map(([, latency]) => latency)]))
}

/** Opens a subject on a database of its own. */
async function withSubject<Result>(
  { subscribers, delays }: Omit<Parameters<typeof openSubject>[0], 'settings'>,
  work: (subject: Subject) => Promise<Result>,
): Promise<Result> {
  const directory = await mkdtemp(path.join(tmpdir(), 'gateway-bench-'))
  const database = server === undefined ? undefined : await createDatabase(server, 'fairness')
  try {
    const settings = { DATA_DIR: directory, ...(database && { DATABASE_URL: database.url }) }
    const subject = await openSubject({ settings, subscribers, delays })
    return await work(subject).finally(() => subject.close())
  } finally {
    await database?.remove()
    await rm(directory, { recursive: true })
  }
}

function report(name: string, values: readonly number[] = []): void {
  const figures = [percentile(values, 0.5), percentile(values, 0.99), Math.max(...values)]
  const isOver = !(percentile(values, 0.99) < BOUND)
  if (isOver) process.exitCode = 1
  const columns = [String(values.length), ...figures.map((figure) => figure.toFixed(0))]
  console.log(`${name.padEnd(60)}${columns.map((column) => column.padStart(8)).join('')}${isOver ? ' !' : ''}`)
}

async function measureHanging(count: number): Promise<void> {
  await withSubject({ subscribers: SUBSCRIBERS, delays: { email: 0, text: Infinity } }, async (subject) => {
    await subject.addTexts(count)
    const latencies = await measure(subject, ['single'], pause(MEASURED))
    report(`through another provider, ${count} wait for one that hangs`, latencies.get('single'))
  })
}

async function measureBroadcast(): Promise<void> {
  await withSubject({ subscribers: BROADCAST, delays: { email: DELAY, text: DELAY } }, async (subject) => {
    const times: { readonly alone: number; readonly beside: number }[] = []
    const all: Latencies[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const alone = await subject.broadcast()
      const broadcast = subject.broadcast()
      all.push(await measure(subject, ['single', 'critical'], broadcast))
      times.push({ alone, beside: await broadcast })
    }
    for (const workflow of ['single', 'critical'] as const) {
      report(
        `${workflow}, during a broadcast of ${BROADCAST}`,
        all.flatMap((latencies) => latencies.get(workflow) ?? []),
      )
    }
    const seconds = (which: 'alone' | 'beside') => (median(times.map((time) => time[which])) / 1000).toFixed(1)
    const ratio = median(times.map(({ alone, beside }) => beside / alone)).toFixed(2)
    console.log(`the broadcast alone ${seconds('alone')} s, with the others ${seconds('beside')} s: ${ratio}`)
  })
}

console.log(
  `${server === undefined ? 'embedded' : 'PostgreSQL'}: ms from a trigger to its provider: number, p50, p99, max; load ${loadavg()[0]?.toFixed(1)}`,
)
for (const count of HANGING) await measureHanging(count)
await measureBroadcast()
