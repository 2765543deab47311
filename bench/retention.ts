// Retention: response times of triggers with and without a sweep of a million expired events next to them.
// `npx tsx bench/retention.ts postgresql://...` measures a temporary database on that server.
import type pg from 'pg'
import { pino } from 'pino'
import { setTimeout as pause } from 'node:timers/promises'
import { createHousekeeping } from '../src/engine/housekeeping/housekeeping.ts'
import { openSubject, type Subject, WORKFLOW } from './delivery/subject.ts'
import { median } from './support/median.ts'
import { percentile } from './support/percentile.ts'
import { createDatabase } from './support/temporary-database.ts'
import { openUnlimitedGateway } from './support/unlimited-gateway.ts'

const EVENTS = 1_000_000
/** Events inserted by one statement. The gateway closes a connection whose statement takes half a minute. */
const AT_ONCE = 10_000
const ROUNDS = 10
/**
 * The number of slices of a round with a sweep, and of slices without, so that disturbances from outside affect both.
 */
const SLICES = 6
/** Milliseconds of load in each slice. */
const SLICE = 1_000
/** Triggers per second, which are 8.6 million a day. */
const RATE = 100

/** Inserts expired events of a workflow with two steps, each with a run, two step runs, a message and an attempt. */
async function fill(pool: pg.Pool, environmentId: string): Promise<void> {
  const connection = await pool.connect()
  try {
    // Foreign keys and tallies would take longer than the rows.
    await connection.query('SET session_replication_role = replica')
    await connection.query('SET statement_timeout = 0')
    for (let first = 1; first <= EVENTS; first += AT_ONCE) {
      await connection.query(
        `WITH made AS MATERIALIZED (
           SELECT n, gen_random_uuid() AS event, gen_random_uuid() AS run, gen_random_uuid() AS bell,
                  gen_random_uuid() AS text, gen_random_uuid() AS message,
                  timestamptz '2020-01-01' + n * interval '1 second' AS at
           FROM generate_series($2::int, $3::int) AS n
         ), new_events AS (
           INSERT INTO events (environment_id, id, transaction_id, workflow_identifier, recipients, payload, overrides,
                               context_keys, snapshot_hash, fanned_out_at, created_at, updated_at)
           SELECT $1, event, event::text, 'old', jsonb_build_array(jsonb_build_object('subscriberId', 's' || n % 10000)),
                  jsonb_build_object('order', n, 'text', repeat('text ', 20)), '{}', '{}', 'old', at, at, at FROM made
         ), new_tallies AS (
           INSERT INTO event_tallies (environment_id, event_id, runs_completed, messages_sent, notifications, created_at)
           SELECT $1, event, 1, 1, 1, at FROM made
         ), new_runs AS (
           INSERT INTO workflow_runs (environment_id, id, event_id, subscriber_id, subscriber_row_id, status, position,
                                      event_created_at, workflow_identifier, created_at, updated_at)
           SELECT $1, run, event, 's' || n % 10000, run, 'completed', 2, at, 'old', at, at FROM made
         ), new_steps AS (
           INSERT INTO step_runs (environment_id, id, run_id, position, step_id, type, status, created_at, updated_at)
           SELECT $1, bell, run, 0, 'bell', 'in_app'::"StepType", 'sent'::"StepStatus", at, at FROM made
           UNION ALL SELECT $1, text, run, 1, 'text', 'sms', 'sent', at, at FROM made
         ), new_messages AS (
           INSERT INTO deliveries (environment_id, id, step_run_id, channel, provider_id, integration_identifier, target,
                                   content, status, attempt_count, event_id, subscriber_id, workflow_identifier,
                                   created_at, updated_at)
           SELECT $1, message, text, 'sms', 'twilio', 'sms', '{"kind":"phone","number":"+4915112345678"}',
                  jsonb_build_object('subject', NULL, 'body', repeat('text ', 20)), 'sent', 1, event, 's' || n % 10000, 'old', at, at
           FROM made
         )
         INSERT INTO delivery_attempts (environment_id, delivery_id, number, status, answer, started_at, ended_at)
         SELECT $1, message, 1, 201, '{"sid":"SM1"}', at, at FROM made`,
        [environmentId, first, first + AT_ONCE - 1],
      )
    }
    await connection.query('ANALYZE')
  } finally {
    connection.release(true)
  }
}

/** Sends triggers for a slice. @returns the milliseconds from when each was due to its response. */
async function trigger({ post, subscriberIds }: Subject): Promise<readonly number[]> {
  const start = performance.now()
  const taken: number[] = []
  const sent: Promise<void>[] = []
  for (let index = 0; index < (RATE * SLICE) / 1000; index += 1) {
    const due = start + (index * 1000) / RATE
    await pause(Math.max(0, due - performance.now()))
    const to = subscriberIds[index % subscriberIds.length]
    sent.push(post('/v1/events/trigger', { name: WORKFLOW, to }).then(() => void taken.push(performance.now() - due)))
  }
  await Promise.all(sent)
  return taken
}

const [server] = process.argv.slice(2)
if (server === undefined) throw new Error('usage: npx tsx bench/retention.ts postgresql://...')
const database = await createDatabase(server, 'retention')
try {
  const subject = await openSubject({ url: database.url }, 1_000)
  // Another process sweeps, except for the JavaScript part of the work.
  const sweeper = await openUnlimitedGateway({ url: database.url })
  const { environmentId, pool } = subject
  let start = performance.now()
  await fill(pool, environmentId)
  console.log(`${EVENTS} expired events in ${Math.round((performance.now() - start) / 1000)} s`)
  let [swept, seconds] = [0, 0]
  const rounds: { readonly without: number; readonly with: number }[] = []

  async function sweeping(): Promise<readonly number[]> {
    const housekeeping = createHousekeeping({
      gateway: sweeper.shared,
      logger: pino({ level: 'warn' }),
      retention: { events: 90, feed: 'off' },
      embedded: false,
      stopwatch: () => performance.now(),
    })
    await pool.query('DELETE FROM sweeps')
    start = performance.now()
    const sweep = housekeeping.perform('retention')
    const taken = await trigger(subject)
    await housekeeping.stop()
    await sweep
    swept += housekeeping.progress.deleted.events
    seconds += (performance.now() - start) / 1000
    return taken
  }

  await trigger(subject)
  for (let round = 0; round < ROUNDS; round += 1) {
    const taken = { without: [] as number[], with: [] as number[] }
    for (let slice = 0; slice < SLICES; slice += 1) {
      taken.without.push(...(await trigger(subject)))
      taken.with.push(...(await sweeping()))
    }
    const one = { without: percentile(taken.without, 0.95), with: percentile(taken.with, 0.95) }
    rounds.push(one)
    console.log(`p95 without ${one.without.toFixed(1)} ms, with ${one.with.toFixed(1)} ms`)
    await subject.delivered()
  }
  const ratio = median(rounds.map((one) => one.with / one.without))
  console.log(`p95 of triggers with a sweep, of without: ${ratio.toFixed(2)} (median of ${ROUNDS} rounds)`)
  console.log(`p95 without: ${median(rounds.map((one) => one.without)).toFixed(1)} ms`)
  console.log(`${Math.round(swept / seconds)} events swept per second, ${swept} in all`)
  await subject.close()
  await sweeper.close()
} finally {
  await database.remove()
}
