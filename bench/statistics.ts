// Message statistics and the health of deliveries: response times at a million events.
// `npx tsx bench/statistics.ts [postgresql://...] [--events=1000000]` measures a temporary embedded database or, if a
// server is given, a temporary database on it.
import { parseArgs } from 'node:util'
import type pg from 'pg'
import type { DatabaseLocation } from '../src/data/driver/database-location.ts'
import { foldStatistics } from '../src/data/monitoring/message-statistics.ts'
import { bootstrap } from '../src/domain/access/bootstrap.ts'
import { median } from './support/median.ts'
import { onTemporaryDatabase } from './support/temporary-location.ts'
import { openUnlimitedGateway } from './support/unlimited-gateway.ts'

const {
  values: options,
  positionals: [server],
} = parseArgs({ allowPositionals: true, options: { events: { type: 'string', default: '1000000' } } })
const EVENTS = Number(options.events)
/** Events inserted by one statement. */
const AT_ONCE = 50_000
/** Changes that the worker has not added up yet: as many as half a minute produces at 300 messages per second. */
const WAITING = 10_000
const DAYS = 30
const WORKFLOWS = 20
const REQUESTS = 21
const API_KEY = 'key-of-the-statistics-benchmark'
const HOUR = 3_600_000

/** The columns of each event's message, spread over days, workflows and three channels. One in 100 failed. */
const message = `
  now() - n * interval '${DAYS} days' / ${EVENTS} AS at, 'workflow-' || n % ${WORKFLOWS} AS workflow,
  (ARRAY['in_app', 'email', 'sms'])[1 + n % 3]::"Channel" AS channel, n % 100 = 50 AS failed,
  CASE n % 3 WHEN 0 THEN '' ELSE 'integration-' || n % 3 END AS integration, gen_random_uuid() AS id`

async function fill(connection: pg.ClientBase, environmentId: string, first: number, last: number): Promise<void> {
  await connection.query(
    `WITH made AS MATERIALIZED (SELECT n, ${message} FROM generate_series(${first}, ${last}) AS n), new_events AS (
       INSERT INTO events (environment_id, id, transaction_id, workflow_identifier, recipients, payload, overrides,
                           context_keys, snapshot_hash, fanned_out_at, created_at, updated_at)
       SELECT '${environmentId}'::uuid, id, id::text, workflow, '[]', '{}', '{}', '{}', '', at, at, at FROM made
     ), new_runs AS (
       INSERT INTO workflow_runs (environment_id, id, event_id, subscriber_id, subscriber_row_id, status, position,
                                  created_at, updated_at)
       SELECT '${environmentId}'::uuid, id, id, 's' || n % 10000, id,
              (CASE WHEN failed THEN 'failed' ELSE 'completed' END)::"RunStatus", 1, at, at FROM made
     ), new_messages AS (
       INSERT INTO deliveries (environment_id, id, step_run_id, channel, provider_id, integration_identifier, target,
                               content, status, attempt_count, created_at, updated_at)
       SELECT '${environmentId}'::uuid, id, id, channel, 'twilio', integration, '{}', '{"body":"Hello"}',
              (CASE WHEN failed THEN 'failed' ELSE 'sent' END)::"DeliveryStatus", 1, at, at
       FROM made WHERE channel <> 'in_app'
     )
     INSERT INTO message_statistics_changes (environment_id, at, workflow_identifier, channel, integration_identifier, sent,
                                             failed, failed_attempts, failed_delivery_id)
     SELECT '${environmentId}'::uuid, at, workflow, channel, integration, (NOT failed)::int, failed::int, failed::int,
            CASE WHEN failed AND channel <> 'in_app' THEN id END
     FROM made`,
  )
}

const statistics = (interval: string) =>
  `query ($from: DateTime!, $to: DateTime!) { messageStatistics(from: $from, to: $to, interval: ${interval}) {
    start sent failed cancelled skipped channels { channel sent failed cancelled skipped }
  } }`

const cases = [
  ['statistics of 30 days, by hour', statistics('HOUR'), 30 * 24 * HOUR],
  ['statistics of 30 days, by day', statistics('DAY'), 30 * 24 * HOUR],
  ['statistics of 12 hours, by minute', statistics('MINUTE'), 12 * HOUR],
  [
    'health of the last hour',
    `{ deliveryHealth { integrations { failing lastFailure { id } } workflows { failedRuns failedMessages }
      failedDeliveries queue { due } } }`,
    HOUR,
  ],
] as const

async function measure(name: string, location: DatabaseLocation): Promise<void> {
  const gateway = await openUnlimitedGateway(location)
  try {
    await bootstrap(gateway.shared, API_KEY)
    const { pool, client } = gateway.database
    const { id } = await client.environment.findFirstOrThrow({ where: { name: 'Development' } })
    let folding = 0
    const connection = await pool.connect()
    // Foreign keys and counting triggers would take longer than the rows.
    await connection.query('SET session_replication_role = replica')
    await connection.query('SET statement_timeout = 0')
    for (let first = 1; first <= EVENTS; first += AT_ONCE) await fill(connection, id, first, first + AT_ONCE - 1)
    await connection.query('SET session_replication_role = origin')
    connection.release()
    const start = performance.now()
    while ((await foldStatistics(client, 1_000)) > 0) folding += 1
    const folded = (performance.now() - start) / folding
    await pool.query(`INSERT INTO message_statistics_changes
        (environment_id, at, workflow_identifier, channel, integration_identifier, sent)
      SELECT '${id}', now(), 'workflow-' || n % ${WORKFLOWS}, 'email', 'integration-1', 1
      FROM generate_series(1, ${WAITING}) AS n`)
    await pool.query('VACUUM ANALYZE')
    console.log(`${name}: ${EVENTS} events\n  adding 1,000 changes: ${folded.toFixed(1)} ms`)
    for (const [title, query, length] of cases) {
      const times: number[] = []
      while (times.length < REQUESTS) {
        const to = new Date()
        const body = JSON.stringify({ query, variables: { from: new Date(to.getTime() - length), to } })
        const headers = { authorization: `ApiKey ${API_KEY}`, 'content-type': 'application/json' }
        const began = performance.now()
        const response = await gateway.app.fetch(
          new Request('http://gateway.bench/graphql', { method: 'POST', headers, body }),
        )
        const text = await response.text()
        times.push(performance.now() - began)
        if (!response.ok || text.startsWith('{"errors"')) throw new Error(text)
      }
      console.log(`  ${title.padEnd(36)} p50 ${median(times).toFixed(0)} ms, max ${Math.max(...times).toFixed(0)} ms`)
    }
  } finally {
    await gateway.close()
  }
}

await onTemporaryDatabase(server, 'bench_statistics', measure)
