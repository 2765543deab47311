// A provider that is down: messages to an integration with a fallback, and how soon the provider is used again.
// `npx tsx bench/fallback.ts postgresql://... [--messages=1000]` starts two processes of the built gateway
// (`npm run build`) on a temporary database. It ends with 1 if sending by the fallback, or the return of the provider,
// takes longer than 60 s, if a message was lost or sent twice, or if a log does not show both integrations.
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startGateway } from './support/gateway-process.ts'
import { postTo } from './support/post.ts'
import { startReceiver } from './support/receiver.ts'
import { createDatabase } from './support/temporary-database.ts'
import { createTopic, triggerForTopic } from './support/topic.ts'

const {
  values: options,
  positionals: [server],
} = parseArgs({ allowPositionals: true, options: { messages: { type: 'string', default: '1000' } } })
if (server === undefined) throw new Error('name a PostgreSQL server: npx tsx bench/fallback.ts postgresql://...')
const MESSAGES = Number(options.messages)
const PROCESSES = 2
/** Seconds until all messages are sent by the fallback, and until the provider that is back sends again. */
const BOUND = 60

const { url, remove } = await createDatabase(server, 'fallback')
const database = new pg.Pool({ connectionString: url })
const settings = { DATABASE_URL: url, RATE_LIMIT: 'off', ALLOW_PRIVATE_ADDRESSES: 'on' }
const processes = [await startGateway(settings)]
// Only its port is needed at first: while nothing listens there, connections are refused.
const reserved = await startReceiver()
const port = Number(new URL(reserved.credentials.webhookUrl).port)
reserved.close()
const fallback = await startReceiver()

const secondsSince = (start: number) => (performance.now() - start) / 1000

/** Triggers for all, and waits for their messages. @returns the seconds until the last was sent. */
async function broadcast(post: ReturnType<typeof postTo>): Promise<number> {
  const start = performance.now()
  await post('/v1/events/trigger', triggerForTopic)
  for (;;) {
    const { rows } = await database.query<{ unsent: number }>(
      `SELECT (SELECT count(*) FROM jobs)::int + (SELECT count(*) FROM deliveries WHERE status <> 'sent')::int AS unsent`,
    )
    if (rows[0]?.unsent === 0) return secondsSince(start)
    await pause(50)
  }
}

/** The number of messages whose log does not name both integrations and why the first was left. */
async function countIncompleteLogs(): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM deliveries
     WHERE integration_identifier <> 'second' OR routes -> 0 ->> 'integrationIdentifier' <> 'first'
       OR routes -> 0 ->> 'left' IS NULL`,
  )
  return rows[0]?.count ?? NaN
}

try {
  const [first] = processes
  if (first === undefined) throw new Error('no process was started')
  const post = postTo(first)
  const integration = { providerId: 'email-webhook', channel: 'email' }
  const credentials = { webhookUrl: `http://127.0.0.1:${port}` }
  await post('/v1/integrations', { ...integration, identifier: 'first', primary: true, credentials })
  await post('/v1/integrations', {
    ...{ ...integration, identifier: 'second', isFallback: true },
    credentials: fallback.credentials,
  })
  await createTopic(post, MESSAGES)
  while (processes.length < PROCESSES) processes.push(await startGateway(settings))

  const failedOver = await broadcast(post)
  const incomplete = await countIncompleteLogs()
  const [sent, unique] = [fallback.arrivals.length, fallback.keys.size]

  const primary = await startReceiver(port)
  const start = performance.now()
  while (primary.arrivals.length === 0 && secondsSince(start) < 2 * BOUND) {
    await post('/v1/events/trigger', { name: 'news', to: 'reader-0' })
    await pause(500)
  }
  const recovered = secondsSince(start)
  const before = primary.keys.size
  await broadcast(post)
  const byPrimary = primary.keys.size - before

  console.log(`${PROCESSES} processes, ${MESSAGES} messages, a provider whose connections are refused`)
  const figures = {
    'seconds until all were sent by the fallback': failedOver.toFixed(1),
    'messages lost': MESSAGES - unique,
    'messages sent twice': sent - unique,
    'logs without both integrations': incomplete,
    'seconds until the returned provider sent again': recovered.toFixed(1),
    'then sent by it': byPrimary,
  }
  for (const [figure, value] of Object.entries(figures)) {
    console.log(`  ${figure.padEnd(48)}${String(value).padStart(8)}`)
  }
  const isWrong = unique !== MESSAGES || sent !== unique || incomplete > 0 || byPrimary < MESSAGES
  if (isWrong || failedOver > BOUND || recovered > BOUND) process.exitCode = 1
  primary.close()
} finally {
  for (const { child } of processes) child.kill()
  await database.end()
  fallback.close()
  await remove()
}
