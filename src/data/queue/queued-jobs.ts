// Exact counts of an environment's jobs by kind and integration. For operators, not for every request.
import type { JobKind } from './job.ts'
import { ofKind } from './job-turns.ts'
import { Prisma } from '../prisma/client.ts'
import type { Tenant } from '../reading/loader.ts'
import { buckets } from './send-rate.ts'
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
  /** Messages that wait for the rate limit of their integration. */
  readonly limited: number
  /** When the oldest of the due, held and limited jobs was due. Null if there is none. */
  readonly oldestSince: Date | null
}

export function readQueuedJobs({ db, environmentId }: Tenant, now: Date): Promise<readonly QueuedJobs[]> {
  const isLimited = Prisma.sql`coalesce(rated.ready_at > ${now}::timestamptz, false)`
  return sql<QueuedJobs>(db, 'queued-jobs.readQueuedJobs')`
    SELECT kind, integration.identifier AS "integrationIdentifier",
           count(*) FILTER (WHERE available_at <= ${now}::timestamptz AND NOT ${isLimited})::int AS due,
           count(*) FILTER (WHERE available_at <= ${now}::timestamptz AND ${isLimited})::int AS limited,
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
    LEFT JOIN (${buckets(Prisma.sql`integration.environment_id = ${environmentId}::uuid`)}) AS rated
      ON rated.environment_id = job.environment_id AND rated.id = job.integration_id
    GROUP BY kind, integration.identifier ORDER BY kind, integration.identifier`
}
