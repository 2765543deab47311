// Webhooks: a fan-out with a subscription to `message.sent` beside one without, and a receiver that hangs beside another.
// `npx tsx bench/webhooks.ts postgresql://... [--subscribers=5000] [--rounds=3]` starts the built gateway
// (`npm run build`) on a temporary database. It ends with 1 if the fan-out keeps less than 80 % of its rate, or if the
// receiver that hangs delays messages to the other one by a second or more (p99).
import { once } from 'node:events'
import { createServer } from 'node:http'
import { loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startGateway } from './support/gateway-process.ts'
import { median } from './support/median.ts'
import { percentile } from './support/percentile.ts'
import { portions } from './support/portions.ts'
import { postTo } from './support/post.ts'
import { createDatabase } from './support/temporary-database.ts'

const {
  values: options,
  positionals: [server],
} = parseArgs({
  allowPositionals: true,
  options: { subscribers: { type: 'string', default: '5000' }, rounds: { type: 'string', default: '3' } },
})
if (server === undefined) throw new Error('name a PostgreSQL server: npx tsx bench/webhooks.ts postgresql://...')
const SUBSCRIBERS = Number(options.subscribers)
const ROUNDS = Number(options.rounds)
/** The part of its rate that a fan-out keeps. */
const KEPT = 0.8
/** Milliseconds by which a receiver that hangs may delay another one. */
const DELAY = 1_000
/** Changes whose messages are timed, and milliseconds between them. */
const CHANGES = 200
const INTERVAL = 50
/** Changes whose messages wait for the receiver that hangs, before others are timed. */
const WAITING = 100

/** A receiver of webhooks. */
interface Hook {
  readonly url: string
  /** When the first message about each subscriber arrived, in milliseconds of this process. */
  readonly arrivals: ReadonlyMap<string, number>
  /** The number of messages. */
  count: number
  close(): void
}

/** @param isHanging true if it never answers. */
async function startHook(isHanging: boolean): Promise<Hook> {
  const arrivals = new Map<string, number>()
  const server = createServer((request, response) => {
    const now = performance.now()
    let text = ''
    request.setEncoding('utf8').on('data', (part: string) => (text += part))
    request.on('end', () => {
      hook.count += 1
      const [, subscriberId] = /"subscriberId":"([^"]+)"/.exec(text) ?? []
      if (subscriberId !== undefined && !arrivals.has(subscriberId)) arrivals.set(subscriberId, now)
      if (!isHanging) response.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port')
  const hook: Hook = {
    url: `http://127.0.0.1:${address.port}`,
    arrivals,
    count: 0,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return hook
}

const { url, remove } = await createDatabase(server, 'webhooks')
const database = new pg.Pool({ connectionString: url })
const gateway = await startGateway({ DATABASE_URL: url, RATE_LIMIT: 'off', ALLOW_PRIVATE_ADDRESSES: 'on' })
const post = postTo(gateway)
const [good, hanging] = [await startHook(false), await startHook(true)]

/** Waits until a condition is met. */
async function until(isMet: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isMet())) await pause(10)
}

const graph = (query: string, variables: object = {}) => post('/graphql', { query, variables })

const subscribe = (identifier: string, to: Hook, eventType: string) =>
  graph(
    `mutation ($input: CreateWebhookSubscriptionInput!) {
      createWebhookSubscription(input: $input) { userErrors { message } }
    }`,
    { input: { identifier, url: to.url, eventTypes: [eventType] } },
  )

const setActive = (identifier: string, active: boolean) =>
  graph(
    `mutation ($input: UpdateWebhookSubscriptionInput!) {
      updateWebhookSubscription(input: $input) { userErrors { message } }
    }`,
    { input: { identifier, active } },
  )

async function fill(): Promise<void> {
  await post('/v2/workflows', { identifier: 'news', name: 'News', steps: [{ type: 'in_app', body: 'Hello' }] })
  const ids = Array.from({ length: SUBSCRIBERS }, (_, index) => ({ subscriberId: `reader-${index}` }))
  for (const subscribers of portions(ids, 500)) await post('/v1/subscribers/bulk', { subscribers })
  for (const subscriptions of portions(ids, 100)) await post('/v2/topics/all/subscriptions', { subscriptions })
  await database.query('ANALYZE')
}

/** Triggers for all. @returns the notifications written in a second. */
async function fanOut(): Promise<number> {
  const start = performance.now()
  await post('/v1/events/trigger', { name: 'news', to: { type: 'Topic', topicKey: 'all' } })
  await until(async () => {
    const { rows } = await database.query<{ waiting: boolean }>('SELECT EXISTS (SELECT FROM jobs) AS waiting')
    return rows[0]?.waiting === false
  })
  return (SUBSCRIBERS * 1_000) / (performance.now() - start)
}

/** Fan-outs in turn without and with a subscription, whose messages are sent meanwhile. */
async function measureFanOut() {
  await fanOut()
  await subscribe('sent', good, 'MESSAGE_SENT')
  const rounds: { readonly without: number; readonly with: number; readonly seconds: number }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    await setActive('sent', false)
    await pause(1_500)
    const without = await fanOut()
    await setActive('sent', true)
    await pause(1_500)
    const before = good.count
    const start = performance.now()
    const withOne = await fanOut()
    await until(() => good.count >= before + SUBSCRIBERS)
    rounds.push({ without, with: withOne, seconds: (performance.now() - start) / 1_000 })
  }
  await setActive('sent', false)
  await pause(1_500)
  return rounds
}

/** Creates subscribers one by one. @returns milliseconds from each change to the arrival of its message. */
async function measureLatency(prefix: string): Promise<readonly number[]> {
  const starts = new Map<string, number>()
  for (let index = 0; index < CHANGES; index += 1) {
    const subscriberId = `${prefix}-${index}`
    starts.set(subscriberId, performance.now())
    await post('/v2/subscribers', { subscriberId })
    await pause(INTERVAL)
  }
  await until(() => [...starts.keys()].every((name) => good.arrivals.has(name)))
  return [...starts].map(([name, start]) => (good.arrivals.get(name) ?? NaN) - start)
}

try {
  await fill()
  const rounds = await measureFanOut()
  const ratio = median(rounds.map((round) => round.with / round.without))

  await subscribe('created', good, 'SUBSCRIBER_CREATED')
  await pause(1_500)
  const alone = await measureLatency('alone')
  await subscribe('hangs', hanging, 'SUBSCRIBER_CREATED')
  await pause(1_500)
  const waiting = Array.from({ length: WAITING }, (_, index) => ({ subscriberId: `waiting-${index}` }))
  await post('/v1/subscribers/bulk', { subscribers: waiting })
  await until(() => hanging.count > 0)
  const beside = await measureLatency('beside')

  const p99 = (values: readonly number[]) => percentile(values, 0.99)
  const delay = p99(beside) - p99(alone)
  const figures = {
    'notifications a second, without a subscription': median(rounds.map(({ without }) => without)).toFixed(0),
    'with a subscription to message.sent': median(rounds.map((round) => round.with)).toFixed(0),
    'of the rate without': ratio.toFixed(2),
    [`seconds until the receiver had all ${SUBSCRIBERS}`]: median(rounds.map(({ seconds }) => seconds)).toFixed(1),
    'ms from a change to its receiver, p99, alone': p99(alone).toFixed(0),
    'p99 beside a receiver that hangs': p99(beside).toFixed(0),
  }
  console.log(`PostgreSQL, a fan-out to ${SUBSCRIBERS}, ${ROUNDS} rounds; load ${loadavg()[0]?.toFixed(1)}`)
  for (const [figure, value] of Object.entries(figures)) console.log(`  ${figure.padEnd(52)}${value.padStart(8)}`)
  if (!(ratio >= KEPT) || !(delay < DELAY)) process.exitCode = 1
} finally {
  gateway.child.kill()
  await database.end()
  good.close()
  hanging.close()
  await remove()
}
