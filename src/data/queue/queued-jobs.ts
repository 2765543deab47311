// Exact counts of an environment's jobs by kind and integration. For operators, not for every request.
import type { JobKind } from './job.ts'
import { ofKind } from './job-turns.ts'
import type { Tenant } from '../reading/loader.ts'
import { sql } from '../statement/statement.ts'

/** The jobs of one kind. For messages, those of one integration. */
export interface QueuedJobs {
  readonly kind: JobKind
  /** Null for jobs that send no message, or if the integration was deleted. */
  readonly integrationIdentifier: string | null
  /** Jobs that can be taken now. */
  readonly due: number
  /** Jobs that can be taken later: waits, further attempts, and those in progress. */
  readonly later: number
  /** Jobs that wait for the end of a pause. */
  readonly held: number
  /** When the oldest of the due and held jobs was due. Null if there is none. */
  readonly oldestSince: Date | null
}

export const readQueuedJobs = ({ db, environmentId }: Tenant, now: Date): Promise<readonly QueuedJobs[]> =>
  sql<QueuedJobs>(db, 'queued-jobs.readQueuedJobs')`
    SELECT kind, integration.identifier AS "integrationIdentifier",
           count(*) FILTER (WHERE available_at <= ${now}::timestamptz)::int AS due,
           count(*) FILTER (WHERE available_at > ${now}::timestamptz AND held_by IS NULL)::int AS later,
           count(held_by)::int AS held,
           min(due_at) FILTER (WHERE available_at <= ${now}::timestamptz OR held_by IS NOT NULL) AS "oldestSince"
    FROM (
      SELECT jobs.*,
             CASE WHEN ${ofKind.events} THEN 'events' WHEN ${ofKind.messages} THEN 'messages' ELSE 'runs' END AS kind
      FROM jobs WHERE environment_id = ${environmentId}::uuid
    ) AS job
    LEFT JOIN integrations AS integration
      ON integration.environment_id = job.environment_id AND integration.id = job.integration_id
    GROUP BY kind, integration.identifier ORDER BY kind, integration.identifier`
