// Delivery throughput: triggers accepted by the REST API and notifications delivered by the worker, per second.
// `npx tsx bench/delivery.ts [postgresql://...]` measures a temporary embedded database and, if given, a PostgreSQL
// database in the same rounds. It migrates that database, which no other process may use in the meantime.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { v7 as newId } from 'uuid'
import type { DatabaseLocation } from '../src/data/database.ts'
import { writeApiKey } from '../src/domain/api-key.ts'
import { writeEnvironment } from '../src/domain/environment.ts'
import type { Gateway } from '../src/domain/scope.ts'
import { openUnlimitedGateway } from './support/unlimited-gateway.ts'

const ROUNDS = 3
/** Number of subscribers that the fan-out reaches through a topic. */
const SUBSCRIBERS = 5_000
/** Number of triggers of each kind in a round. */
const TRIGGERS = 500
/** Number of concurrent requests with one trigger each. */
const PARALLEL = 10
const IN_BULK = 100
const ROWS = { subscribers: 500, subscriptions: 100 } as const

const names = Array.from({ length: SUBSCRIBERS }, (_, index) => `subscriber-${index}`)

const portions = <Item>(items: readonly Item[], size: number) =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))

type Post = (path: string, body: unknown) => Promise<void>

/** Measured rates per second. */
interface Figures {
  readonly single: number
  readonly bulk: number
  readonly oneEach: number
  readonly fanOut: number
}

interface Bench {
  readonly name: string
  round(): Promise<Figures>
  close(): Promise<void>
}

async function perSecond(count: number, work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return (count * 1000) / (performance.now() - start)
}

/** Creates an organization with one environment and an API key. */
async function furnish(gateway: Gateway) {
  const [organizationId, userId, createdAt] = [newId(), newId(), gateway.now()]
  await gateway.db.organization.create({ data: { id: organizationId, name: 'Bench', createdAt } })
  await gateway.db.user.create({ data: { id: userId, organizationId, name: 'Bench', createdAt } })
  const first = { organizationId, name: 'Bench', color: '#059669', type: 'dev', parentId: null } as const
  const { id: environmentId } = await writeEnvironment(gateway, first)
  const { key } = await writeApiKey(gateway, { environmentId, userId, name: 'Bench' })
  return { key, organizationId, environmentId }
}

/** Creates the subscribers, a topic with all of them, and a workflow with one in-app step. */
async function fill(post: Post): Promise<void> {
  const steps = [{ type: 'in_app', body: 'Hello {{subscriber.subscriberId}}' }]
  await post('/v2/workflows', { identifier: 'news', name: 'News', steps })
  for (const portion of portions(names, ROWS.subscribers)) {
    await post('/v1/subscribers/bulk', { subscribers: portion.map((subscriberId) => ({ subscriberId })) })
  }
  for (const portion of portions(names, ROWS.subscriptions)) {
    await post('/v2/topics/all/subscriptions', { subscriptions: portion.map((subscriberId) => ({ subscriberId })) })
  }
}

async function openBench(name: string, location: DatabaseLocation): Promise<Bench> {
  const gateway = await openUnlimitedGateway(location)
  const { app, database, worker } = gateway
  const { key, organizationId, environmentId } = await furnish(gateway.shared)

  const post: Post = async (path, body) => {
    const response = await app.fetch(
      new Request(`http://gateway.bench${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `ApiKey ${key}` },
        body: JSON.stringify(body),
      }),
    )
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    await response.body?.cancel()
  }
  await fill(post)

  let delivered = 0
  /** Runs the worker until it has written `count` more notifications. */
  async function deliver(count: number): Promise<void> {
    delivered += count
    await worker.start()
    while ((await database.client.notification.count({ where: { environmentId } })) < delivered) await pause(20)
    await worker.stop()
  }

  const one = names.slice(0, TRIGGERS).map((to) => ({ name: 'news', to }))
  const everybody = { name: 'news', to: { type: 'Topic', topicKey: 'all' } }
  return {
    name,
    async round() {
      const single = await perSecond(TRIGGERS, async () => {
        for (const portion of portions(one, PARALLEL)) {
          await Promise.all(portion.map((event) => post('/v1/events/trigger', event)))
        }
      })
      const bulk = await perSecond(TRIGGERS, async () => {
        for (const events of portions(one, IN_BULK)) await post('/v1/events/trigger/bulk', { events })
      })
      const oneEach = await perSecond(2 * TRIGGERS, () => deliver(2 * TRIGGERS))
      await post('/v1/events/trigger', everybody)
      const fanOut = await perSecond(SUBSCRIBERS, () => deliver(SUBSCRIBERS))
      return { single, bulk, oneEach, fanOut }
    },
    async close() {
      // Environments go first: their API keys refer to the user who created them.
      await database.client.environment.deleteMany({ where: { organizationId } })
      await database.client.organization.delete({ where: { id: organizationId } })
      await gateway.close()
    },
  }
}

const median = (values: readonly number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0

function report(name: string, rounds: readonly Figures[]): void {
  const of = (figure: keyof Figures) => median(rounds.map((round) => round[figure]))
  const ratio = (figure: keyof Figures, to: keyof Figures) => (of(figure) / of(to)).toFixed(1)
  console.log(`${name}, per second:`)
  console.log(`  triggers accepted, one a request:      ${of('single').toFixed(0)}`)
  console.log(`  triggers accepted, ${IN_BULK} a request:      ${of('bulk').toFixed(0)}`)
  console.log(`    ratio:                               ${ratio('bulk', 'single')} : 1`)
  console.log(`  notifications, one event each:         ${of('oneEach').toFixed(0)}`)
  console.log(`  notifications, one event for a topic:  ${of('fanOut').toFixed(0)}`)
  console.log(`    ratio:                               ${ratio('fanOut', 'oneEach')} : 1`)
}

const [url] = process.argv.slice(2)
const directory = await mkdtemp(path.join(tmpdir(), 'gateway-bench-'))
const benches = [await openBench('embedded', { directory })]
try {
  if (url !== undefined) benches.push(await openBench('PostgreSQL', { url }))
  const rounds = new Map(benches.map((bench) => [bench, new Array<Figures>()]))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [bench, figures] of rounds) figures.push(await bench.round())
  }
  for (const [{ name }, figures] of rounds) report(name, figures)
} finally {
  for (const bench of benches) await bench.close()
  await rm(directory, { recursive: true })
}
