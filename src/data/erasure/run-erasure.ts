// Erases runs of a deleted subscriber. The execution log still says what was decided, when, and through which provider.
import type { RunErasure } from '../queue/job.ts'
import type { Tenant } from '../reading/loader.ts'
import { Prisma } from '../prisma/client.ts'
import { limitTo, sql, sqlCount } from '../statement/statement.ts'

/**
 * Locks a page of the runs of a subscriber, in the order of their ids, which prevents deadlocks. The row id
 * distinguishes the subscriber from others that have had, or will have, the same subscriberId.
 *
 * @param take the number of runs in a full page. @returns them, newest first.
 */
export function holdRunsOfSubscriber(
  { db, environmentId }: Tenant,
  { subscriberId, subscriberRowId, after }: RunErasure,
  take: number,
): Promise<{ readonly id: string; readonly createdAt: Date }[]> {
  const following = after
    ? Prisma.sql`AND (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`
    : Prisma.empty
  return sql<{ id: string; createdAt: Date }>(db, 'run-erasure.holdRunsOfSubscriber')`
    WITH page AS MATERIALIZED (
      SELECT id FROM workflow_runs
      WHERE environment_id = ${environmentId}::uuid AND subscriber_id = ${subscriberId}
        AND subscriber_row_id = ${subscriberRowId}::uuid ${following}
      ORDER BY created_at DESC, id DESC ${limitTo(take)}
    ), held AS MATERIALIZED (
      SELECT run.id, run.created_at FROM page
      JOIN workflow_runs AS run ON run.environment_id = ${environmentId}::uuid AND run.id = page.id
      ORDER BY run.id FOR UPDATE OF run
    )
    SELECT id, created_at AS "createdAt" FROM held ORDER BY created_at DESC, id DESC`
}

/**
 * Erases everything from runs that could identify the subscriber: addresses, texts, responses of providers and details.
 * `updatedAt` stays, because each change of it costs an index entry.
 *
 * @param target JSON that replaces the targets of messages. @param content JSON that replaces their content.
 * @param detail replaces the details of steps and the errors of attempts.
 */
export async function eraseRunsById(
  { db, environmentId }: Tenant,
  ids: readonly string[],
  { target, content, detail }: { readonly target: object; readonly content: object; readonly detail: string },
): Promise<void> {
  const runIds = Prisma.sql`${[...ids]}::uuid[]`
  await sqlCount(db, 'run-erasure.eraseRunsById')`
    WITH held AS MATERIALIZED (
      SELECT delivery.id FROM step_runs AS step
      JOIN deliveries AS delivery ON delivery.environment_id = ${environmentId}::uuid AND delivery.step_run_id = step.id
      WHERE step.environment_id = ${environmentId}::uuid AND step.run_id = ANY (${runIds})
      ORDER BY delivery.id FOR UPDATE OF delivery
    )
    UPDATE deliveries AS delivery
    SET target = ${JSON.stringify(target)}::jsonb, content = ${JSON.stringify(content)}::jsonb,
        secret_content = NULL
    FROM held WHERE delivery.environment_id = ${environmentId}::uuid AND delivery.id = held.id`
  await sqlCount(db, 'run-erasure.eraseRunsById')`
    WITH held AS MATERIALIZED (
      SELECT attempt.delivery_id, attempt.number FROM step_runs AS step
      JOIN deliveries AS delivery ON delivery.environment_id = ${environmentId}::uuid AND delivery.step_run_id = step.id
      JOIN delivery_attempts AS attempt
        ON attempt.environment_id = ${environmentId}::uuid AND attempt.delivery_id = delivery.id
      WHERE step.environment_id = ${environmentId}::uuid AND step.run_id = ANY (${runIds})
      ORDER BY attempt.delivery_id, attempt.number FOR UPDATE OF attempt
    )
    UPDATE delivery_attempts AS attempt
    SET answer = NULL, error = CASE WHEN attempt.error IS NOT NULL THEN ${detail} END
    FROM held WHERE attempt.environment_id = ${environmentId}::uuid
      AND attempt.delivery_id = held.delivery_id AND attempt.number = held.number`
  await sqlCount(db, 'run-erasure.eraseRunsById')`
    WITH held AS MATERIALIZED (
      SELECT report.delivery_id, report.key FROM step_runs AS step
      JOIN deliveries AS delivery ON delivery.environment_id = ${environmentId}::uuid AND delivery.step_run_id = step.id
      JOIN delivery_reports AS report
        ON report.environment_id = ${environmentId}::uuid AND report.delivery_id = delivery.id
      WHERE step.environment_id = ${environmentId}::uuid AND step.run_id = ANY (${runIds})
        AND (report.detail IS NOT NULL OR report.address IS NOT NULL)
      ORDER BY report.delivery_id, report.key FOR UPDATE OF report
    )
    UPDATE delivery_reports AS report SET detail = NULL, address = NULL
    FROM held WHERE report.environment_id = ${environmentId}::uuid
      AND report.delivery_id = held.delivery_id AND report.key = held.key`
  await sqlCount(db, 'run-erasure.eraseRunsById')`
    WITH held AS MATERIALIZED (
      SELECT id FROM step_runs
      WHERE environment_id = ${environmentId}::uuid AND run_id = ANY (${runIds}) AND detail IS NOT NULL
      ORDER BY id FOR UPDATE
    )
    UPDATE step_runs AS step SET detail = ${detail}
    FROM held WHERE step.environment_id = ${environmentId}::uuid AND step.id = held.id`
}
