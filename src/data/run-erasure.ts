// Erases runs of a deleted subscriber. What was decided, when, and through which provider stays in the execution log.
import type { RunErasure } from './job.ts'
import type { Tenant } from './loader.ts'
import { Prisma } from './prisma/client.ts'
import { limitTo } from './statement.ts'

/**
 * Locks a page of the runs of a subscriber, newest first. The row id tells the subscriber from others that had or will have
 * the same subscriberId.
 *
 * @param take the number of runs in a full page.
 */
export function holdRunsOfSubscriber(
  { db, environmentId }: Tenant,
  { subscriberId, subscriberRowId, after }: RunErasure,
  take: number,
): Promise<{ readonly id: string; readonly createdAt: Date }[]> {
  const following = after
    ? Prisma.sql`AND (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`
    : Prisma.empty
  return db.$queryRaw`
    SELECT id, created_at AS "createdAt" FROM workflow_runs
    WHERE environment_id = ${environmentId}::uuid AND subscriber_id = ${subscriberId}
      AND subscriber_row_id = ${subscriberRowId}::uuid ${following}
    ORDER BY created_at DESC, id DESC ${limitTo(take)} FOR UPDATE`
}

/**
 * Erases from runs all that may tell who the subscriber was: addresses, texts, responses of providers and details.
 * `updatedAt` stays: to change it costs an index entry each.
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
  await db.$executeRaw`
    UPDATE delivery_attempts AS attempt
    SET answer = NULL, error = CASE WHEN attempt.error IS NOT NULL THEN ${detail} END
    FROM step_runs AS step
    JOIN deliveries AS delivery ON delivery.environment_id = step.environment_id AND delivery.step_run_id = step.id
    WHERE step.environment_id = ${environmentId}::uuid AND step.run_id = ANY (${runIds})
      AND attempt.environment_id = delivery.environment_id AND attempt.delivery_id = delivery.id`
  await db.$executeRaw`
    UPDATE deliveries AS delivery
    SET target = ${JSON.stringify(target)}::jsonb, content = ${JSON.stringify(content)}::jsonb
    FROM step_runs AS step
    WHERE step.environment_id = ${environmentId}::uuid AND step.run_id = ANY (${runIds})
      AND delivery.environment_id = step.environment_id AND delivery.step_run_id = step.id`
  await db.$executeRaw`
    UPDATE step_runs SET detail = ${detail}
    WHERE environment_id = ${environmentId}::uuid AND run_id = ANY (${runIds}) AND detail IS NOT NULL`
}
