// Jobs that wait for the end of a pause. A held job names the pause in `held_by` and is available at infinity, so that
// statements that look for work skip it without reading it.
import type { Connection } from '../connection/database.ts'
import { announcementsOf, JOB_CHANNEL, type TakenJob, takenRows } from './job.ts'
import type { Tenant } from '../reading/loader.ts'
import { Prisma } from '../prisma/client.ts'
import type { JobQueue } from '../prisma/enums.ts'
import { limitTo, plannedEachTime, sql, sqlCount } from '../statement/statement.ts'

/** Maximum jobs that one statement holds or releases. */
const PORTION = 5_000

/**
 * Joins the subject of a `job`: the delivery of a message, or the run or event of other jobs, and the workflow.
 * Erasures have no subject, because they do not wait.
 */
const withSubject = Prisma.sql`
  LEFT JOIN deliveries AS delivery
    ON job.queue = 'deliver' AND delivery.environment_id = job.environment_id
    AND delivery.id = (job.data ->> 'deliveryId')::uuid
  LEFT JOIN workflow_runs AS run
    ON job.queue = 'advance' AND run.environment_id = job.environment_id
    AND run.id = (job.data #>> '{runIds,0}')::uuid
  LEFT JOIN events AS event
    ON job.queue = 'fan_out' AND event.environment_id = job.environment_id
    AND event.id = (job.data ->> 'eventId')::uuid
  LEFT JOIN workflows AS workflow
    ON workflow.environment_id = job.environment_id
    AND workflow.identifier
      = coalesce(delivery.workflow_identifier, run.workflow_identifier, event.workflow_identifier)`

/** True if a `pause` applies to a `job` joined with its subject. */
const concerned = Prisma.sql`
  pause.environment_id = job.environment_id AND job.queue <> 'erase' AND (
    pause.target_id = pause.environment_id
    OR pause.integration_id = delivery.integration_id
    OR pause.workflow_id = workflow.id)`

/**
 * Among jobs that a process has just taken, holds those whose subject is paused. Taking them does not count as an
 * attempt. The pauses are locked meanwhile, so that no job is held for a pause that has ended.
 *
 * @returns the ids of the held jobs.
 */
export async function holdTaken(db: Connection, jobs: readonly TakenJob[]): Promise<ReadonlySet<string>> {
  const rows = await sql<{ id: string }>(db, 'held-job.holdTaken')`
    ${plannedEachTime}
    WITH found AS MATERIALIZED (
      SELECT job.environment_id, job.id, pause.target_id
      FROM ${takenRows(jobs)} AS taken
      JOIN jobs AS job
        ON job.environment_id = taken.environment_id AND job.id = taken.id AND job.attempt_count = taken.attempt_count
      ${withSubject}
      JOIN pauses AS pause ON ${concerned}
      FOR SHARE OF pause
    )
    UPDATE jobs AS job SET held_by = found.target_id, available_at = 'infinity', attempt_count = attempt_count - 1
    FROM (SELECT DISTINCT ON (environment_id, id) * FROM found ORDER BY environment_id, id) AS found
    WHERE job.environment_id = found.environment_id AND job.id = found.id
    RETURNING job.id`
  return new Set(rows.map(({ id }) => id))
}

/**
 * Holds a portion of the queued jobs of a paused target: jobs that are due, and messages whose next attempt is due.
 * Jobs in progress and jobs that become due later are held when they are taken.
 *
 * @returns true if there may be more.
 */
export async function holdPortion({ db, environmentId }: Tenant, targetId: string, now: Date): Promise<boolean> {
  const rows = await sql<unknown>(db, 'held-job.holdPortion')`
    ${plannedEachTime}
    WITH found AS MATERIALIZED (
      SELECT job.environment_id, job.id
      FROM jobs AS job
      ${withSubject}
      JOIN pauses AS pause ON ${concerned}
      WHERE job.environment_id = ${environmentId}::uuid AND pause.target_id = ${targetId}::uuid
        AND job.held_by IS NULL
        AND (job.available_at <= ${now}::timestamptz OR (job.queue = 'deliver' AND job.attempt_count = 0))
      ${limitTo(PORTION)} FOR UPDATE OF job SKIP LOCKED FOR SHARE OF pause
    )
    UPDATE jobs AS job SET held_by = ${targetId}::uuid, available_at = 'infinity'
    FROM found WHERE job.environment_id = found.environment_id AND job.id = found.id
    RETURNING job.id`
  return rows.length === PORTION
}

/**
 * Releases a portion of the jobs that are held for a pause that has ended, and wakes idle workers. Messages can be
 * taken immediately, all other jobs when they are due.
 *
 * @returns the number of released jobs by queue. Empty if none is left.
 */
export async function releasePortion(
  { db, environmentId }: Tenant,
  targetId: string,
  now: Date,
): Promise<readonly JobQueue[]> {
  const rows = await sql<{ queue: JobQueue }>(db, 'held-job.releasePortion')`
    WITH found AS MATERIALIZED (
      SELECT environment_id, id FROM jobs
      WHERE environment_id = ${environmentId}::uuid AND held_by = ${targetId}::uuid
      ORDER BY id ${limitTo(PORTION)} FOR UPDATE SKIP LOCKED
    )
    UPDATE jobs AS job
    SET held_by = NULL,
        available_at = CASE
          WHEN queue = 'deliver' THEN ${now}::timestamptz ELSE greatest(due_at, ${now}::timestamptz)
        END
    FROM found WHERE job.environment_id = found.environment_id AND job.id = found.id
    RETURNING job.queue`
  const queues = rows.map(({ queue }) => queue)
  if (queues.length > 0) {
    const messages = announcementsOf(environmentId, rows)
    await sqlCount(db, 'held-job.releasePortion')`
      SELECT pg_notify(${JOB_CHANNEL}, message) FROM unnest(${messages}::text[]) AS message`
  }
  return queues
}

/**
 * Targets that are no longer paused but still have held jobs: a process ended before it released all of them, or the
 * target was deleted. The targets are looked up one by one in the index, so the cost depends on their number.
 */
export const endedHolds = (
  db: Connection,
): Promise<readonly { readonly environmentId: string; readonly targetId: string }[]> =>
  sql<{ environmentId: string; targetId: string }>(db, 'held-job.endedHolds')`
    ${plannedEachTime}
    WITH RECURSIVE held(environment_id, target_id) AS (
      (SELECT environment_id, held_by FROM jobs WHERE held_by IS NOT NULL ORDER BY environment_id, held_by LIMIT 1)
      UNION ALL
      SELECT following.environment_id, following.held_by
      FROM held CROSS JOIN LATERAL (
        SELECT environment_id, held_by FROM jobs
        WHERE held_by IS NOT NULL AND (environment_id, held_by) > (held.environment_id, held.target_id)
        ORDER BY environment_id, held_by LIMIT 1
      ) AS following
    )
    SELECT environment_id AS "environmentId", target_id AS "targetId" FROM held
    WHERE NOT EXISTS (
      SELECT FROM pauses WHERE pauses.environment_id = held.environment_id AND pauses.target_id = held.target_id
    )`
