// Erasures: the time for ten persons, as a multiple of the time for one person. `npx tsx bench/erasure.ts
// [postgresql://...] [--events=10000] [--rounds=3]` measures a temporary embedded database or, if a server is given, a
// temporary database on it.
import { parseArgs } from 'node:util'
import type pg from 'pg'
import type { DatabaseLocation } from '../src/data/driver/database-location.ts'
import { bootstrap } from '../src/domain/access/bootstrap.ts'
import { median } from './support/median.ts'
import { onTemporaryDatabase } from './support/temporary-location.ts'
import { openUnlimitedGateway } from './support/unlimited-gateway.ts'

const {
  values: options,
  positionals: [server],
} = parseArgs({
  allowPositionals: true,
  options: { events: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '3' } },
})
const EVENTS = Number(options.events)
const ROUNDS = Number(options.rounds)
const PERSONS = 10
const SUBSCRIBERS = 1_000
const API_KEY = 'key-of-the-erasure-benchmark'

/** Events that name their subscriber, each with a run, a step, a message, an attempt and a notification. */
const fill = (environmentId: string) => `
  WITH subscriber AS MATERIALIZED (
    SELECT n, 'person-' || n AS id, 'First' || n % 40 AS first, 'Last' || n AS last,
           'person' || n || '@mail.example.com' AS email, '+49151' || 10000000 + n AS phone
    FROM generate_series(0, ${SUBSCRIBERS - 1}) AS n
  ), new_subscribers AS (
    INSERT INTO subscribers (environment_id, id, subscriber_id, first_name, last_name, email, phone, data, created_at, updated_at)
    SELECT '${environmentId}'::uuid, gen_random_uuid(), id, first, last, email, phone, '{"plan":"pro"}', now(), now()
    FROM subscriber
  ), made AS MATERIALIZED (
    SELECT event.n, gen_random_uuid() AS event, gen_random_uuid() AS run, gen_random_uuid() AS step,
           gen_random_uuid() AS message, now() AS at, subscriber.id, email, phone,
           format('Hello %s %s, your order %s is on its way. %s', first, last, event.n, repeat('Thank you. ', 20)) AS text
    FROM generate_series(1, ${EVENTS}) AS event(n) JOIN subscriber ON subscriber.n = event.n % ${SUBSCRIBERS}
  ), new_events AS (
    INSERT INTO events (environment_id, id, transaction_id, workflow_identifier, recipients, payload, overrides,
                        context_keys, snapshot_hash, fanned_out_at, created_at, updated_at)
    SELECT '${environmentId}', event, event::text, 'order', jsonb_build_array(jsonb_build_object('subscriberId', id)),
           jsonb_build_object('order', n, 'text', text, 'link', 'https://shop.example.com/?to=' || email), '{}', '{}',
           'none', at, at, at
    FROM made
  ), new_runs AS (
    INSERT INTO workflow_runs (environment_id, id, event_id, subscriber_id, subscriber_row_id, status, position,
                               created_at, updated_at)
    SELECT '${environmentId}', run, event, id, run, 'completed', 1, at, at FROM made
  ), new_steps AS (
    INSERT INTO step_runs (environment_id, id, run_id, position, step_id, type, status, created_at, updated_at)
    SELECT '${environmentId}', step, run, 0, 'text', 'sms', 'sent', at, at FROM made
  ), new_messages AS (
    INSERT INTO deliveries (environment_id, id, step_run_id, channel, provider_id, integration_identifier, target,
                            content, status, attempt_count, created_at, updated_at)
    SELECT '${environmentId}', message, step, 'sms', 'twilio', 'sms', jsonb_build_object('kind', 'phone', 'number', phone),
           jsonb_build_object('body', text), 'sent', 1, at, at
    FROM made
  ), new_attempts AS (
    INSERT INTO delivery_attempts (environment_id, delivery_id, number, status, answer, started_at, ended_at)
    SELECT '${environmentId}', message, 1, 201, jsonb_build_object('to', phone), at, at FROM made
  )
  INSERT INTO notifications (environment_id, id, subscriber_id, event_id, step_run_id, workflow_identifier, body, actions,
                             data, severity, tags, context_keys, created_at, updated_at)
  SELECT '${environmentId}', step, id, event, step, 'order', text, '[]', '{}', 'none', '{}', '{}', at, at FROM made`

async function prepare(connection: pg.ClientBase, environmentId: string): Promise<void> {
  // Foreign keys and counting triggers would take longer than the rows.
  await connection.query('SET session_replication_role = replica')
  await connection.query('SET statement_timeout = 0')
  await connection.query(fill(environmentId))
  await connection.query('SET session_replication_role = origin')
  await connection.query('VACUUM ANALYZE')
}

async function measure(name: string, location: DatabaseLocation): Promise<void> {
  const gateway = await openUnlimitedGateway(location)
  try {
    await bootstrap(gateway.shared, API_KEY)
    const { pool, client } = gateway.database
    const { id } = await client.environment.findFirstOrThrow({ where: { name: 'Development' } })
    const connection = await pool.connect()
    await prepare(connection, id)
    connection.release()
    let next = 0

    /** Erases the next persons. @returns the milliseconds. */
    async function erase(count: number): Promise<number> {
      const subscribers = Array.from({ length: count }, () => ({ subscriberId: `person-${next++}` }))
      const headers = { authorization: `ApiKey ${API_KEY}`, 'content-type': 'application/json' }
      const start = performance.now()
      const response = await gateway.app.fetch(
        new Request('http://gateway.bench/v2/erasures', {
          method: 'POST',
          headers,
          body: JSON.stringify({ subscribers }),
        }),
      )
      if (!response.ok) throw new Error(await response.text())
      // A page waits for a moment if its evaluation took long.
      do await gateway.worker.drain()
      while ((await client.erasure.count({ where: { finishedAt: null } })) > 0)
      return performance.now() - start
    }

    // The first erasure determines the page size.
    await erase(1)
    const ratios: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const [one, ten] = [await erase(1), await erase(PERSONS)]
      ratios.push(ten / one)
      console.log(`${name}: 1 person ${one.toFixed(0)} ms, ${PERSONS} persons ${ten.toFixed(0)} ms`)
    }
    console.log(`${name}: ${EVENTS} events, ${PERSONS} persons cost ${median(ratios).toFixed(2)} times one`)
  } finally {
    await gateway.close()
  }
}

await onTemporaryDatabase(server, 'bench_erasure', measure)
