// The same rows, inserted by bare SQL: the upper bound of the database.
import { newId } from '../../src/lib/new-id.ts'
import { portions } from '../support/portions.ts'
import { type Subject, TOPIC, WORKFLOW } from './subject.ts'

const event = (first: number) =>
  `($1, $${first}, $${first + 1}, '${WORKFLOW}', 'bare', $2, '{}', '{}', '{}', now(), now())`
const EVENT_COLUMNS = `environment_id, id, transaction_id, workflow_identifier, snapshot_hash, recipients, payload, overrides,
  context_keys, created_at, updated_at`
/** No worker takes these jobs. */
const job = (first: number) => `($1, $${first}, 'fan_out', $2, now(), now() + interval '1 day', now())`
const JOB_COLUMNS = 'environment_id, id, queue, data, due_at, available_at, created_at'
const RECIPIENTS = JSON.stringify([{ subscriberId: 'subscriber-0', id: newId() }])
const WORK = JSON.stringify({ eventId: newId() })

async function removeJobs({ pool, environmentId }: Subject): Promise<void> {
  await pool.query(`DELETE FROM jobs WHERE environment_id = $1 AND available_at > now() + interval '1 hour'`, [
    environmentId,
  ])
}

/** Inserts an event and a job in one transaction, `count` times, `parallel` at a time. */
export async function acceptBare(subject: Subject, count: number, parallel: number): Promise<void> {
  const { pool, environmentId } = subject
  const addEvent = { name: 'bare-event', text: `INSERT INTO events (${EVENT_COLUMNS}) VALUES ${event(3)}` }
  const addJob = { name: 'bare-job', text: `INSERT INTO jobs (${JOB_COLUMNS}) VALUES ${job(3)}` }
  async function acceptOne() {
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      await client.query({ ...addEvent, values: [environmentId, RECIPIENTS, newId(), newId()] })
      await client.query({ ...addJob, values: [environmentId, WORK, newId()] })
      await client.query('COMMIT')
    } finally {
      client.release()
    }
  }
  for (const portion of portions(Array.from({ length: count }), parallel)) await Promise.all(portion.map(acceptOne))
  await removeJobs(subject)
}

/** Inserts events and their jobs, `size` of them per statement. */
export async function acceptBareInBulk(subject: Subject, count: number, size: number): Promise<void> {
  const { pool, environmentId } = subject
  for (const portion of portions(Array.from({ length: count }), size)) {
    const events = portion.map((_, index) => `($1::uuid, $${3 * index + 3}::uuid, $${3 * index + 4}::text)`)
    const rows = portion.map((_, index) => `($${3 * index + 5}::uuid)`)
    await pool.query({
      name: 'bare-bulk',
      text: `WITH new_events AS (
          INSERT INTO events (${EVENT_COLUMNS})
          SELECT environment, id, transaction, '${WORKFLOW}', 'bare', $2::jsonb, '{}', '{}', '{}', now(), now()
          FROM (VALUES ${events.join()}) AS given(environment, id, transaction)
        )
        INSERT INTO jobs (${JOB_COLUMNS})
        SELECT $1::uuid, id, 'fan_out', $2::jsonb, now(), now() + interval '1 day', now()
        FROM (VALUES ${rows.join()}) AS given(id)`,
      values: [environmentId, RECIPIENTS, ...portion.flatMap(() => [newId(), newId(), newId()])],
    })
  }
  await removeJobs(subject)
}

/** Inserts the runs, step runs and feed entries of one event for all subscribers of the topic. */
export async function fanOutBare({ pool, environmentId }: Subject): Promise<void> {
  const eventId = newId()
  await pool.query(`INSERT INTO events (${EVENT_COLUMNS}) VALUES ${event(3)}`, [
    environmentId,
    RECIPIENTS,
    eventId,
    eventId,
  ])
  await pool.query(
    `WITH run AS (
       INSERT INTO workflow_runs (environment_id, id, event_id, subscriber_id, subscriber_row_id, status, position,
                                  created_at, updated_at)
       SELECT subscriber.environment_id, gen_random_uuid(), $2, subscriber.subscriber_id, subscriber.id, 'completed', 1,
              now(), now()
       FROM topic_subscriptions JOIN subscribers AS subscriber USING (environment_id, subscriber_id)
       WHERE environment_id = $1 AND topic_key = '${TOPIC}' AND context_keys = '{}'
       RETURNING id, event_id, subscriber_id
     ), step AS (
       INSERT INTO step_runs (environment_id, id, run_id, position, step_id, type, status, created_at, updated_at)
       SELECT $1, gen_random_uuid(), id, 0, 'in-app', 'in_app', 'sent', now(), now() FROM run
       RETURNING id, run_id
     )
     INSERT INTO notifications (environment_id, id, subscriber_id, context_keys, event_id, step_run_id,
                                workflow_identifier, body, actions, data, severity, tags, created_at, updated_at)
     SELECT $1, gen_random_uuid(), subscriber_id, '{}', event_id, step.id, '${WORKFLOW}', 'Hello ' || subscriber_id, '[]',
            '{}', 'none', '{}', now(), now()
     FROM step JOIN run ON run.id = step.run_id`,
    [environmentId, eventId],
  )
}
