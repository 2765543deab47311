// Example data in few statements: ends many messages at once, as the engine ends each of its own, marks the
// notifications of many feeds, spreads events over time, and ends webhook messages without a request.
import { attemptTable, type AttemptRow, deliveryTable } from '../delivery.ts'
import type { Tenant } from '../reading/loader.ts'
import { assignMark, type NotificationMark } from '../feed/notification-mark.ts'
import { Prisma } from '../prisma/client.ts'
import { sql, sqlCount } from '../statement/statement.ts'
import { rowsOf } from '../statement/table.ts'

/** All attempts to send a message, which is the only message of its step. */
export interface ExampleResult {
  readonly deliveryId: string
  readonly attempts: readonly Omit<AttemptRow, 'deliveryId'>[]
  /** The code of the reason for the failure. Null if the message was sent. */
  readonly cause: string | null
}

/** A run that waits for nothing but the end of its messages. */
export interface ReadyRun {
  readonly id: string
  readonly eventId: string
}

/**
 * Ends pending messages and their steps. Database triggers do the rest, as they always do.
 *
 * @returns the runs that continue.
 */
export async function endExampleMessages(
  { db, environmentId }: Tenant,
  results: readonly ExampleResult[],
): Promise<readonly ReadyRun[]> {
  if (results.length === 0) return []
  const attempts = results.flatMap(({ deliveryId, attempts }) =>
    attempts.map((attempt, index) => ({ ...attempt, deliveryId, number: index + 1 })),
  )
  const ends = rowsOf(
    deliveryTable,
    results.flatMap(({ deliveryId, cause, attempts }) => {
      const last = attempts.at(-1)
      return last === undefined
        ? []
        : [{ id: deliveryId, cause, attemptCount: attempts.length, updatedAt: last.endedAt }]
    }),
  )
  await sqlCount(db, 'example-rows.insertAttempts')`
    INSERT INTO delivery_attempts (environment_id, delivery_id, number, error, status, answer, started_at, ended_at,
                                   next_at, integration_identifier, provider_id)
    SELECT ${environmentId}::uuid, delivery_id, number, error, status, answer, started_at, ended_at,
           next_at, integration_identifier, provider_id
    FROM ${rowsOf(attemptTable, attempts)} AS given`
  await sqlCount(db, 'example-rows.endMessages')`
    UPDATE deliveries AS delivery
    SET status = (CASE WHEN ended.cause IS NULL THEN 'sent' ELSE 'failed' END)::"DeliveryStatus",
        cause = ended.cause, attempt_count = ended.attempt_count, updated_at = ended.updated_at,
        secret_content = CASE WHEN ended.cause IS NOT NULL THEN delivery.secret_content END
    FROM ${ends} AS ended
    WHERE delivery.environment_id = ${environmentId}::uuid AND delivery.id = ended.id`
  return sql<ReadyRun>(db, 'example-rows.endSteps')`
    WITH ended AS (
      UPDATE step_runs AS step
      SET status = delivery.status::text::"StepStatus", cause = delivery.cause, updated_at = delivery.updated_at,
          reason = CASE WHEN delivery.cause IS NOT NULL THEN 'refused' END,
          detail = CASE WHEN delivery.cause IS NOT NULL THEN attempt.error END
      FROM ${ends} AS given
      JOIN deliveries AS delivery ON delivery.environment_id = ${environmentId}::uuid AND delivery.id = given.id
      JOIN delivery_attempts AS attempt ON attempt.environment_id = ${environmentId}::uuid
        AND attempt.delivery_id = given.id AND attempt.number = given.attempt_count
      WHERE step.environment_id = ${environmentId}::uuid AND step.id = delivery.step_run_id
      RETURNING step.id, step.run_id
    )
    SELECT run.id, run.event_id AS "eventId" FROM workflow_runs AS run
    WHERE run.environment_id = ${environmentId}::uuid AND run.id IN (SELECT run_id FROM ended) AND run.status = 'waiting'
      AND NOT EXISTS (
        SELECT FROM step_runs AS other
        WHERE other.environment_id = ${environmentId}::uuid AND other.run_id = run.id AND other.status = 'waiting'
      )
    ORDER BY run.id`
}

/** Marks all notifications of these subscribers. No process follows their feeds yet. */
export async function markExampleFeeds(
  { db, environmentId }: Tenant,
  subscriberIds: readonly string[],
  mark: NotificationMark,
  now: Date,
): Promise<void> {
  const { set, missing } = assignMark(mark, now)
  await sqlCount(db, 'example-rows.markFeeds')`
    UPDATE notifications SET ${set}, updated_at = ${now}::timestamptz
    WHERE environment_id = ${environmentId}::uuid AND subscriber_id = ANY (${[...subscriberIds]}::text[]) AND ${missing}`
}

/** An event, and the milliseconds by which everything that it led to happens later. */
export interface Delayed {
  readonly eventId: string
  readonly milliseconds: number
}

/** Moves events, and what they led to, to later times. What waits in the queue keeps its time. */
export async function delayExampleEvents({ db, environmentId }: Tenant, delayed: readonly Delayed[]): Promise<void> {
  const columns = (names: readonly string[]) =>
    Prisma.raw(names.map((name) => `${name} = moved.${name} + delayed.by`).join(', '))
  const own = ['created_at', 'updated_at']
  const ofEnvironment = Prisma.sql`moved.environment_id = ${environmentId}::uuid`
  await sqlCount(db, 'example-rows.delayEvents')`
    WITH delayed AS MATERIALIZED (
      SELECT "eventId" AS id, milliseconds * interval '1 millisecond' AS by
      FROM jsonb_to_recordset(${JSON.stringify(delayed)}::jsonb) AS given("eventId" uuid, milliseconds int)
    ), events AS (
      UPDATE events AS moved SET ${columns([...own, 'fanned_out_at'])}
      FROM delayed WHERE ${ofEnvironment} AND moved.id = delayed.id
    ), runs AS (
      UPDATE workflow_runs AS moved SET ${columns([...own, 'event_created_at'])}
      FROM delayed WHERE ${ofEnvironment} AND moved.event_id = delayed.id
    ), steps AS (
      UPDATE step_runs AS moved SET ${columns([...own, 'due_at'])}
      FROM delayed JOIN workflow_runs AS run ON run.environment_id = ${environmentId}::uuid AND run.event_id = delayed.id
      WHERE ${ofEnvironment} AND moved.run_id = run.id
    ), notifications AS (
      UPDATE notifications AS moved SET ${columns(own)}
      FROM delayed WHERE ${ofEnvironment} AND moved.event_id = delayed.id
    ), messages AS (
      UPDATE deliveries AS moved SET ${columns([...own, 'expires_at', 'time_limit_at'])}
      FROM delayed WHERE ${ofEnvironment} AND moved.event_id = delayed.id
    )
    UPDATE delivery_attempts AS moved SET ${columns(['started_at', 'ended_at', 'next_at'])}
    FROM delayed JOIN deliveries AS message
      ON message.environment_id = ${environmentId}::uuid AND message.event_id = delayed.id
    WHERE ${ofEnvironment} AND moved.delivery_id = message.id`
}

/** One in this many webhook messages has failed. */
const FAILED = 12

/** Ends all pending deliveries of webhooks: with one accepted attempt, or a last one that was rejected. */
export async function settleExampleWebhooks({ db, environmentId }: Tenant): Promise<void> {
  await sqlCount(db, 'example-rows.settleWebhooks')`
    WITH numbered AS (
      SELECT id, row_number() OVER (ORDER BY created_at, id) % ${FAILED} = 0 AS failed
      FROM webhook_deliveries WHERE environment_id = ${environmentId}::uuid AND next_attempt_at IS NOT NULL
    )
    UPDATE webhook_deliveries AS delivery
    SET status = (CASE WHEN failed THEN 'failed' ELSE 'succeeded' END)::"WebhookDeliveryStatus",
        attempt_count = 1, next_attempt_at = NULL,
        attempts = jsonb_build_array(jsonb_build_object(
          'startedAt', to_char(delivery.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          'duration', 84, 'status', CASE WHEN failed THEN 422 ELSE 204 END, 'answer', NULL,
          'error', CASE WHEN failed THEN 'crm.example responded with 422' END))
    FROM numbered
    WHERE delivery.environment_id = ${environmentId}::uuid AND delivery.id = numbered.id`
}
