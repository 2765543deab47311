// The end of runs before their last step: cancels them with their open steps and messages, or marks them as failed.
import type { Tenant } from './reading/loader.ts'
import { Prisma } from './prisma/client.ts'
import { sqlCount } from './statement/statement.ts'

/** Why runs are cancelled. */
export interface Cause {
  /** The error of the runs. Null for a cancelled event: its status is sufficient. */
  readonly error: string | null
  /** The reason of the open steps of the runs: a code of `domain/trigger/step-reason.ts`. */
  readonly reason: 'cancelled' | 'subscriber_deleted'
  readonly detail: string
}

export const eventCancelled: Cause = { error: null, reason: 'cancelled', detail: 'The event was cancelled.' }

/** Cancels the unfinished runs of an event with their open steps and unsent messages. */
export async function cancelRuns(tenant: Tenant, eventId: string, now: Date): Promise<void> {
  await endRuns(tenant, Prisma.sql`run.event_id = ${eventId}::uuid`, eventCancelled, now)
}

/** Cancels these runs, except those that have ended, with their open steps and unsent messages. */
export async function cancelRunsById(tenant: Tenant, ids: readonly string[], cause: Cause, now: Date): Promise<void> {
  await endRuns(tenant, Prisma.sql`run.id = ANY (${[...ids]}::uuid[])`, cause, now)
}

/**
 * Cancels unfinished runs with their open steps and unsent messages. A run that was merged into a digest counts as
 * unfinished while the digest is open, and if the digest was cancelled: it leaves the digest. Runs that only have unsent
 * messages are locked too, because the end of their messages is their outcome.
 *
 * Each statement locks its rows in one order before it changes them: runs by id, digests by key, then messages and
 * steps by id. All other transactions that lock several of them use the same order.
 */
async function endRuns(
  { db, environmentId }: Tenant,
  which: Prisma.Sql,
  { error, reason, detail }: Cause,
  now: Date,
): Promise<void> {
  await sqlCount(db, 'run-end.endRuns')`
    WITH held AS MATERIALIZED (
      SELECT run.id, run.status FROM workflow_runs AS run
      WHERE run.environment_id = ${environmentId}::uuid AND ${which}
        AND (run.status IN ('running', 'waiting') OR run.outcome = 'pending' OR run.outcome IS NULL)
      ORDER BY run.id FOR UPDATE
    )
    UPDATE workflow_runs AS run SET status = 'cancelled', error = ${error}, updated_at = ${now}::timestamptz
    FROM held WHERE run.environment_id = ${environmentId}::uuid AND run.id = held.id
      AND held.status IN ('running', 'waiting')`
  // Digests that the runs opened are locked together with digests that they joined, because a run may join and open
  // digests in one statement. They are counted, because a join without members would not read, and so not lock, them.
  await sqlCount(db, 'run-end.endRuns')`
    WITH concerned AS MATERIALIZED (
      SELECT run.id AS run_id, run.status, step.id, step.merged_into_id FROM workflow_runs AS run
      JOIN step_runs AS step ON step.environment_id = ${environmentId}::uuid AND step.run_id = run.id
      WHERE run.environment_id = ${environmentId}::uuid AND ${which}
        AND (step.status = 'merged' OR (step.status = 'waiting' AND step.digest_key IS NOT NULL))
    ), digest AS MATERIALIZED (
      SELECT id FROM step_runs
      WHERE environment_id = ${environmentId}::uuid AND status IN ('waiting', 'cancelled')
        AND id IN (SELECT coalesce(merged_into_id, id) FROM concerned)
      ORDER BY digest_key, id FOR UPDATE
    ), member AS MATERIALIZED (
      SELECT concerned.id, run.id AS run_id FROM concerned
      JOIN digest ON digest.id = concerned.merged_into_id
      JOIN workflow_runs AS run ON run.environment_id = ${environmentId}::uuid AND run.id = concerned.run_id
      WHERE run.status = 'completed'
      ORDER BY run.id FOR UPDATE OF run
    ), removed AS (
      UPDATE step_runs AS step
      SET status = 'cancelled', reason = ${reason}, detail = ${detail}, merged_into_id = NULL,
          updated_at = ${now}::timestamptz
      FROM member WHERE step.environment_id = ${environmentId}::uuid AND step.id = member.id
    )
    UPDATE workflow_runs AS run SET status = 'cancelled', error = ${error}, updated_at = ${now}::timestamptz
    FROM member WHERE run.environment_id = ${environmentId}::uuid AND run.id = member.run_id
      AND (SELECT count(*) FROM digest) > 0`
  await sqlCount(db, 'run-end.endRuns')`
    WITH held AS MATERIALIZED (
      SELECT delivery.id FROM workflow_runs AS run
      JOIN step_runs AS step ON step.environment_id = ${environmentId}::uuid AND step.run_id = run.id
      JOIN deliveries AS delivery
        ON delivery.environment_id = ${environmentId}::uuid AND delivery.step_run_id = step.id
      WHERE run.environment_id = ${environmentId}::uuid AND ${which} AND delivery.status = 'pending'
      ORDER BY delivery.id FOR UPDATE OF delivery
    )
    UPDATE deliveries AS delivery SET status = 'cancelled', secret_content = NULL, updated_at = ${now}::timestamptz
    FROM held WHERE delivery.environment_id = ${environmentId}::uuid AND delivery.id = held.id`
  // A step with at least one sent message counts as sent.
  await sqlCount(db, 'run-end.endRuns')`
    WITH held AS MATERIALIZED (
      SELECT step.id FROM workflow_runs AS run
      JOIN step_runs AS step ON step.environment_id = ${environmentId}::uuid AND step.run_id = run.id
      WHERE run.environment_id = ${environmentId}::uuid AND ${which} AND step.status IN ('waiting', 'sending')
      ORDER BY step.id FOR UPDATE OF step
    )
    UPDATE step_runs AS step
    SET status = (CASE WHEN arrived THEN 'sent' ELSE 'cancelled' END)::"StepStatus",
        reason = CASE WHEN NOT arrived THEN ${reason} END,
        detail = CASE WHEN NOT arrived THEN ${detail} END,
        updated_at = ${now}::timestamptz
    FROM held CROSS JOIN LATERAL (
      SELECT EXISTS (
        SELECT 1 FROM deliveries
        WHERE environment_id = ${environmentId}::uuid AND step_run_id = held.id AND status = 'sent'
      ) AS arrived
    ) AS outcome
    WHERE step.environment_id = ${environmentId}::uuid AND step.id = held.id`
}

/** Marks unfinished runs as failed with an error. @returns their number. */
export function giveUpRuns(
  { db, environmentId }: Tenant,
  ids: readonly string[],
  error: string,
  now: Date,
): Promise<number> {
  return sqlCount(db, 'run-end.giveUpRuns')`
    WITH held AS MATERIALIZED (
      SELECT id FROM workflow_runs
      WHERE environment_id = ${environmentId}::uuid AND id = ANY (${[...ids]}::uuid[])
        AND status IN ('running', 'waiting')
      ORDER BY id FOR UPDATE
    )
    UPDATE workflow_runs AS run SET status = 'failed', error = ${error}, updated_at = ${now}::timestamptz
    FROM held WHERE run.environment_id = ${environmentId}::uuid AND run.id = held.id`
}
