// Delivery: triggers, fan-outs and streams, as ratios to bare SQL that inserts the same rows into the same database.
// `npx tsx bench/delivery.ts [postgresql://...] [--rounds=3] [--before=../other-checkout]` measures a temporary
// embedded database and, if a server is given, a temporary database on it. With `--before`, the gateway of another
// checkout, such as the commit before a change, is measured in turn with it, on a database of its own.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { DatabaseLocation } from '../src/data/driver/database-location.ts'
import { acceptBare, acceptBareInBulk, fanOutBare } from './delivery/bare.ts'
import { openStream } from './delivery/stream.ts'
import { openSubject, QUEUE_PROBE, type Subject, TOPIC, WORKFLOW } from './delivery/subject.ts'
import { median } from './support/median.ts'
import { percentile } from './support/percentile.ts'
import { portions } from './support/portions.ts'
import { recordStatements } from './support/statements.ts'
import { createDatabase } from './support/temporary-database.ts'

const {
  values: options,
  positionals: [server],
} = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '3' }, before: { type: 'string' } },
})
/**
 * Subscribers that a fan-out reaches through a topic. Fewer on the embedded database, so that both take three minutes.
 */
const SUBSCRIBERS = { embedded: 4_000, PostgreSQL: 10_000 } as const
type Name = keyof typeof SUBSCRIBERS
/** Triggers of each kind per round. */
const TRIGGERS = 500
/** Concurrent requests, each with one trigger. */
const PARALLEL = 10
const IN_BULK = 100
/** Triggers to an open stream. */
const STREAMED = 100
/** Seconds during which the statements of an idle process are counted. */
const IDLE = 5

const everybody = { name: WORKFLOW, to: { type: 'Topic', topicKey: TOPIC } }

async function perSecond(count: number, work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return (count * 1000) / (performance.now() - start)
}

/** Rates per second. */
async function measureRates(subject: Subject) {
  const events = subject.subscriberIds.slice(0, TRIGGERS).map((to) => ({ name: WORKFLOW, to }))
  let single = 0
  const endToEnd = await perSecond(TRIGGERS, async () => {
    single = await perSecond(TRIGGERS, async () => {
      for (const portion of portions(events, PARALLEL)) {
        await Promise.all(portion.map((one) => subject.post('/v1/events/trigger', one)))
      }
    })
    await subject.delivered()
  })
  const bulk = await perSecond(TRIGGERS, async () => {
    for (const portion of portions(events, IN_BULK)) await subject.post('/v1/events/trigger/bulk', { events: portion })
  })
  await subject.delivered()
  const reached = subject.subscriberIds.length
  const fanOut = await perSecond(reached, async () => {
    await subject.post('/v1/events/trigger', everybody)
    await subject.delivered()
  })
  return {
    single,
    bulk,
    endToEnd,
    fanOut,
    bareSingle: await perSecond(TRIGGERS, () => acceptBare(subject, TRIGGERS, PARALLEL)),
    bareBulk: await perSecond(TRIGGERS, () => acceptBareInBulk(subject, TRIGGERS, IN_BULK)),
    bareFanOut: await perSecond(reached, () => fanOutBare(subject)),
  }
}
type Rates = Awaited<ReturnType<typeof measureRates>>

/** Milliseconds from a trigger to an open stream. */
async function measureLatencies(subject: Subject) {
  const stream = await openStream(subject, 'watcher')
  const idle: number[] = []
  for (let count = 0; count < STREAMED; count += 1) idle.push(await stream.latency())
  await subject.delivered()
  await subject.post('/v1/events/trigger', everybody)
  const busy: number[] = []
  while (await subject.isDelivering()) busy.push(await stream.latency())
  await stream.close()
  return { idle, busy }
}

const recorder = recordStatements()
const countStatements = () => recorder.take().filter(({ text }) => text !== QUEUE_PROBE).length

/** Statements of one trigger with one message, and statements per second of an idle process. */
async function measureStatements(subject: Subject) {
  await pause(1_000)
  countStatements()
  await subject.post('/v1/events/trigger', { name: WORKFLOW, to: 'subscriber-0' })
  await subject.delivered()
  const trigger = countStatements()
  await pause(IDLE * 1_000)
  return { trigger, idle: countStatements() / IDLE }
}

async function report(name: Name, subject: Subject, rounds: readonly Rates[]): Promise<void> {
  const of = (figure: keyof Rates) => median(rounds.map((round) => round[figure]))
  const line = (what: string, figure: keyof Rates, bare?: keyof Rates) => {
    const ratio = bare === undefined ? '' : median(rounds.map((round) => round[figure] / round[bare])).toFixed(2)
    console.log(`  ${what.padEnd(44)}${of(figure).toFixed(0).padStart(7)}${ratio.padStart(8)}`)
  }
  const { idle, busy } = await measureLatencies(subject)
  const statements = await measureStatements(subject)
  console.log(`${name}${' '.repeat(46 - name.length)}  per s of bare`)
  line(`triggers accepted, ${PARALLEL} requests at a time`, 'single', 'bareSingle')
  line(`triggers accepted, ${IN_BULK} in a request`, 'bulk', 'bareBulk')
  line('triggers with one message, to the feed', 'endToEnd')
  line(`fan-out to ${subject.subscriberIds.length}, to the feeds`, 'fanOut', 'bareFanOut')
  const latency = (values: readonly number[], worst: number) =>
    `${percentile(values, 0.5).toFixed(0)} / ${percentile(values, worst).toFixed(0)} ms`
  console.log(
    `  trigger to open stream, p50 / p99: ${latency(idle, 0.99)}; in a fan-out, p50 / max: ${latency(busy, 1)}`,
  )
  console.log(
    `  statements of a trigger with one message: ${statements.trigger}; of an idle process: ${statements.idle} per s`,
  )
}

/** Prints the rates of this gateway in each round, relative to those of the other checkout. */
function compare(rounds: readonly Rates[], before: readonly Rates[]): void {
  const ratio = (figure: keyof Rates) => {
    const ratios = rounds.map((round, index) => round[figure] / (before[index]?.[figure] ?? NaN))
    return median(ratios).toFixed(2)
  }
  const figures = ['single', 'bulk', 'endToEnd', 'fanOut'] as const
  console.log(`  of before: ${figures.map((figure) => `${figure} ${ratio(figure)}`).join(', ')}`)
}

/** The subject of another checkout, whose modules have the same interface. */
async function openBefore(checkout: string, location: DatabaseLocation, subscribers: number): Promise<Subject> {
  const file = pathToFileURL(path.resolve(checkout, 'bench/delivery/subject.ts'))
  const other = (await import(file.href)) as { readonly openSubject: typeof openSubject }
  return other.openSubject(location, subscribers)
}

interface Place {
  readonly location: DatabaseLocation
  readonly remove: () => Promise<void>
}

async function measure(name: Name, createPlace: () => Promise<Place>): Promise<void> {
  const place = await createPlace()
  const other = options.before === undefined ? undefined : await createPlace()
  const subject = await openSubject(place.location, SUBSCRIBERS[name])
  const before =
    options.before === undefined || other === undefined
      ? undefined
      : await openBefore(options.before, other.location, SUBSCRIBERS[name])
  try {
    const rounds: Rates[] = []
    const roundsBefore: Rates[] = []
    while (rounds.length < Number(options.rounds)) {
      // The order alternates, so that neither always runs after the other.
      if (before && rounds.length % 2 === 0) roundsBefore.push(await measureRates(before))
      rounds.push(await measureRates(subject))
      if (before && roundsBefore.length < rounds.length) roundsBefore.push(await measureRates(before))
    }
    await report(name, subject, rounds)
    if (before) compare(rounds, roundsBefore)
  } finally {
    await subject.close()
    await before?.close()
    await place.remove()
    await other?.remove()
  }
}

async function createDirectory(): Promise<Place> {
  const directory = await mkdtemp(path.join(tmpdir(), 'gateway-bench-'))
  return { location: { directory }, remove: () => rm(directory, { recursive: true }) }
}

await measure('embedded', createDirectory)
if (server !== undefined) {
  await measure('PostgreSQL', async () => {
    const { url, remove } = await createDatabase(server, 'bench_delivery')
    return { location: { url }, remove }
  })
}
