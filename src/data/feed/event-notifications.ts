// The notifications of one event, in all feeds.
import { Prisma } from '../prisma/client.ts'
import type { Tenant } from '../reading/loader.ts'
import { limitTo, sql } from '../statement/statement.ts'
import { FEED_CHANNEL } from './feed-event.ts'

/**
 * Deletes a portion of the notifications of an event, and sends an event to each feed. The execution log keeps the time.
 *
 * @param take the maximum number. @returns the number of deleted notifications.
 */
export async function deleteOfEvent(
  { db, environmentId }: Tenant,
  eventId: string,
  now: Date,
  take: number,
): Promise<number> {
  const inEnvironment = (table: string) => Prisma.sql`${Prisma.raw(table)}.environment_id = ${environmentId}::uuid`
  const [counted] = await sql<{ deleted: number }>(db, 'event-notifications.deleteOfEvent')`
    WITH held AS (
      SELECT child.id, child.step_run_id, child.subscriber_id, child.context_keys
      FROM workflow_runs AS run
      JOIN step_runs AS step ON ${inEnvironment('step')} AND step.run_id = run.id
      JOIN notifications AS child ON ${inEnvironment('child')} AND child.step_run_id = step.id
      WHERE ${inEnvironment('run')} AND run.event_id = ${eventId}::uuid
      ORDER BY child.id ${limitTo(take)} FOR UPDATE OF child
    ), changed AS (
      DELETE FROM notifications USING held WHERE ${inEnvironment('notifications')} AND notifications.id = held.id
      RETURNING held.step_run_id, held.subscriber_id, held.context_keys
    ), step AS (
      SELECT step_runs.id FROM changed
      JOIN step_runs ON ${inEnvironment('step_runs')} AND step_runs.id = changed.step_run_id
      ORDER BY step_runs.id FOR UPDATE OF step_runs
    ), noted AS (
      UPDATE step_runs SET notification_deleted_at = ${now}::timestamptz FROM step
      WHERE ${inEnvironment('step_runs')} AND step_runs.id = step.id
    ), announced AS MATERIALIZED (
      SELECT pg_notify(${FEED_CHANNEL}, jsonb_build_object('environmentId', ${environmentId}::text, 'marked',
        jsonb_build_object('subscriberId', subscriber_id, 'contextKeys', context_keys))::text)
      FROM (SELECT DISTINCT subscriber_id, context_keys FROM changed) AS feed
    )
    SELECT count(*)::int AS deleted FROM changed WHERE (SELECT count(*) FROM announced) >= 0`
  return counted?.deleted ?? 0
}
