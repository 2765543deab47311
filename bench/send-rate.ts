// The rate limit of an integration: the most messages that two processes send through it in any second.
// `npx tsx bench/send-rate.ts postgresql://... [--messages=5000] [--rate=500]` starts the built gateway (`npm run build`)
// on a temporary database. It ends with 1 if a second had 2 % more messages than the limit, or if a message failed or
// was sent twice.
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
} = parseArgs({
  allowPositionals: true,
  options: { messages: { type: 'string', default: '5000' }, rate: { type: 'string', default: '500' } },
})
if (server === undefined) throw new Error('name a PostgreSQL server: npx tsx bench/send-rate.ts postgresql://...')
const MESSAGES = Number(options.messages)
const RATE = Number(options.rate)
const PROCESSES = 2
const receiver = await startReceiver()
const { arrivals, keys, credentials } = receiver
const { url, remove } = await createDatabase(server, 'send_rate')
const database = new pg.Pool({ connectionString: url })
const settings = { DATABASE_URL: url, RATE_LIMIT: 'off', ALLOW_PRIVATE_ADDRESSES: 'on' }
const processes = [await startGateway(settings)]

/** The most arrivals in any second. */
function busiestSecond(): number {
  let most = 0
  for (let first = 0, last = 0; last < arrivals.length; last += 1) {
    while ((arrivals[last] ?? 0) - (arrivals[first] ?? 0) >= 1000) first += 1
    most = Math.max(most, last - first + 1)
  }
  return most
}

try {
  const [first] = processes
  if (first === undefined) throw new Error('no process was started')
  const post = postTo(first)
  await post('/v1/integrations', {
    ...{ providerId: 'email-webhook', channel: 'email', credentials },
    rateLimit: { messages: RATE, per: 'second' },
  })
  await createTopic(post, MESSAGES)
  while (processes.length < PROCESSES) processes.push(await startGateway(settings))
  await post('/v1/events/trigger', triggerForTopic)
  while (keys.size < MESSAGES) await pause(200)
  await pause(1_000)
  const { rows } = await database.query<{ failed: number }>(
    `SELECT count(*) FILTER (WHERE status <> 'sent' OR attempt_count <> 1)::int AS failed FROM deliveries`,
  )
  const failed = rows[0]?.failed ?? NaN
  const most = busiestSecond()
  const seconds = ((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)) / 1000
  console.log(`${PROCESSES} processes, ${MESSAGES} messages, a limit of ${RATE} per second`)
  console.log(`  messages per second            ${(MESSAGES / seconds).toFixed(1).padStart(8)}`)
  console.log(`  most messages in any second    ${String(most).padStart(8)}`)
  console.log(`  failed, or sent more than once ${String(failed + arrivals.length - keys.size).padStart(8)}`)
  if (most > RATE * 1.02 || failed > 0 || arrivals.length > keys.size) process.exitCode = 1
} finally {
  for (const { child } of processes) child.kill()
  await database.end()
  receiver.close()
  await remove()
}
