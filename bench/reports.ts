// Reports of a provider: 100,000 in posts of 1,000, beside as many triggers as the gateway accepts.
// `npx tsx bench/reports.ts postgresql://... [--reports=100000]` starts the built gateway (`npm run build`) on a
// temporary database. It ends with 1 if storing the reports takes 60 s or longer, if one is missing, or if triggers keep
// less than 90 % of their rate.
import { generateKeyPairSync, sign } from 'node:crypto'
import { loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { newId } from '../src/lib/new-id.ts'
import { startGateway } from './support/gateway-process.ts'
import { percentile } from './support/percentile.ts'
import { portions } from './support/portions.ts'
import { postTo } from './support/post.ts'
import { createDatabase } from './support/temporary-database.ts'

const {
  values: options,
  positionals: [server],
} = parseArgs({ allowPositionals: true, options: { reports: { type: 'string', default: '100000' } } })
if (server === undefined) throw new Error('name a PostgreSQL server: npx tsx bench/reports.ts postgresql://...')
const REPORTS = Number(options.reports)
const IN_POST = 1_000
/** Seconds in which all reports are stored. */
const BOUND = 60
/** The part of their rate that triggers keep. */
const KEPT = 0.9
/** Seconds over which the posts are spread: providers post as events happen. */
const SPREAD = 50
/** Concurrent triggers. */
const PARALLEL = 4
/** Milliseconds of triggers without reports, before and after. */
const ALONE = 20_000

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const webhookSigningKey = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')

const { url, remove } = await createDatabase(server, 'reports')
const database = new pg.Pool({ connectionString: url })
const gateway = await startGateway({ DATABASE_URL: url, RATE_LIMIT: 'off', BASE_URL: 'https://gateway.example' })
const post = postTo(gateway)

/** Creates messages that the integration has sent. @returns the URL of its reports, and the ids of the messages. */
async function fill() {
  const credentials = { apiKey: 'SG.key', from: 'shop@example.com', webhookSigningKey }
  await post('/v1/integrations', { identifier: 'mail', providerId: 'sendgrid', channel: 'email', credentials })
  await post('/v2/workflows', { identifier: 'news', name: 'News', steps: [{ type: 'in_app', body: 'Hello' }] })
  await post('/v2/subscribers', { subscriberId: 'ada' })
  const { rows } = await database.query<{ environment_id: string; id: string }>(
    `SELECT environment_id, id FROM integrations WHERE identifier = 'mail'`,
  )
  const [integration] = rows
  if (integration === undefined) throw new Error('the integration does not exist')
  const { environment_id: environmentId, id } = integration
  const ids = Array.from({ length: REPORTS }, () => newId())
  const connection = await database.connect()
  // Their steps are not needed.
  await connection.query('SET session_replication_role = replica')
  for (const portion of portions(ids, 10_000)) {
    await connection.query(
      `INSERT INTO deliveries (environment_id, id, step_run_id, channel, provider_id, integration_id,
                               integration_identifier, target, content, status, attempt_count, created_at, updated_at)
       SELECT $1, id, id, 'email', 'sendgrid', $2, 'mail', '{}', '{"body":"Hello"}', 'sent', 1, now(), now()
       FROM unnest($3::uuid[]) AS id`,
      [environmentId, id, portion],
    )
  }
  await connection.query('ANALYZE')
  connection.release(true)
  const reports = `${gateway.address}/v2/inbound-webhooks/delivery-providers/${environmentId}/${id}`
  return { reports, ids }
}

/** Posts one request of SendGrid. */
async function report(to: string, ids: readonly string[]): Promise<void> {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const body = JSON.stringify(
    ids.map((id) => ({
      ...{ email: 'ada@example.com', timestamp: Number(timestamp), event: 'delivered', sg_event_id: id },
      ...{ sg_message_id: `${id}.filter0001.16648.5515E0B88.0`, response: '250 OK', delivery_id: id },
    })),
  )
  const response = await fetch(to, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-twilio-email-event-webhook-timestamp': timestamp,
      'x-twilio-email-event-webhook-signature': sign('sha256', Buffer.from(timestamp + body), privateKey).toString(
        'base64',
      ),
    },
    body,
  })
  if (response.status !== 200) throw new Error(`reports: ${response.status} ${await response.text()}`)
}

/** Triggers without a pause until `done` resolves. @returns the triggers accepted in a second. */
async function triggerUntil(done: Promise<unknown>): Promise<number> {
  let isOver = false
  const end = done.finally(() => (isOver = true))
  let count = 0
  const start = performance.now()
  const triggering = async () => {
    while (!isOver) {
      await post('/v1/events/trigger', { name: 'news', to: 'ada' })
      count += 1
    }
  }
  await Promise.all([end, ...Array.from({ length: PARALLEL }, triggering)])
  return (count * 1_000) / (performance.now() - start)
}

/** Posts all reports, spread over time. @returns the seconds until the last was stored, and the durations of the posts. */
async function reportAll(to: string, ids: readonly string[]) {
  const posts = portions(ids, IN_POST)
  const start = performance.now()
  const durations: number[] = []
  for (const [index, portion] of [...posts].entries()) {
    const due = (index * SPREAD * 1_000 * IN_POST) / REPORTS
    await pause(Math.max(0, due - (performance.now() - start)))
    const begun = performance.now()
    await report(to, portion)
    durations.push(performance.now() - begun)
  }
  return { seconds: (performance.now() - start) / 1_000, durations }
}

try {
  const { reports, ids } = await fill()
  await triggerUntil(pause(5_000))
  const before = await triggerUntil(pause(ALONE))
  const all = reportAll(reports, ids)
  const beside = await triggerUntil(all)
  const { seconds, durations } = await all
  const after = await triggerUntil(pause(ALONE))
  const alone = (before + after) / 2
  const { rows } = await database.query<{ stored: number }>('SELECT count(*)::int AS stored FROM delivery_reports')
  const stored = rows[0]?.stored ?? 0
  const figures = {
    'triggers a second, alone': alone.toFixed(0),
    'beside the reports': beside.toFixed(0),
    'of the rate alone': (beside / alone).toFixed(2),
    [`seconds until ${REPORTS} reports were stored`]: seconds.toFixed(1),
    'ms for a post of 1,000, p50': percentile(durations, 0.5).toFixed(0),
    'ms for a post of 1,000, p99': percentile(durations, 0.99).toFixed(0),
    'reports that are missing': String(REPORTS - stored),
  }
  console.log(`PostgreSQL; load ${loadavg()[0]?.toFixed(1)}`)
  for (const [figure, value] of Object.entries(figures)) console.log(`  ${figure.padEnd(48)}${value.padStart(8)}`)
  if (!(beside >= KEPT * alone) || seconds >= BOUND || stored < REPORTS) process.exitCode = 1
} finally {
  gateway.child.kill()
  await database.end()
  await remove()
}
