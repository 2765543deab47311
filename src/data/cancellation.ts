// What a cancellation of many ends: runs and messages that are not over, and events whose runs do not exist yet.
import { byKey, type OpenRun, openRuns } from './open-run.ts'
import type { Tenant } from './reading/loader.ts'
import { containsOneOf, oneOf } from './reading/page.ts'
import { type CreatedWithin, createdWithin } from './reading/row-list.ts'
import { Prisma } from './prisma/client.ts'
import { limitTo, sql } from './statement/statement.ts'

/** Selects events. Undefined fields match everything. */
export interface CancellationFilter extends CreatedWithin {
  readonly workflowIdentifier?: readonly string[] | undefined
  /** The recipients. Then only the runs of these subscribers match. */
  readonly subscriberId?: readonly string[] | undefined
  /** Topics of which the event names one as a recipient. */
  readonly topicKey?: readonly string[] | undefined
  /** Exactly these contexts, sorted. */
  readonly contextKeys?: readonly string[] | undefined
}

/** The conditions on `event`, other than the subscriber. */
function matching({ workflowIdentifier, topicKey, contextKeys, ...created }: CancellationFilter): Prisma.Sql {
  const conditions = [
    ...(workflowIdentifier === undefined
      ? []
      : [Prisma.sql`AND ${oneOf(Prisma.sql`event.workflow_identifier`, workflowIdentifier)}`]),
    ...(topicKey === undefined
      ? []
      : [Prisma.sql`AND ${containsOneOf(Prisma.sql`event.recipients`, 'topicKey', topicKey)}`]),
    ...(contextKeys === undefined ? [] : [Prisma.sql`AND event.context_keys = ${[...contextKeys]}::text[]`]),
    createdWithin(created, 'event.created_at'),
  ]
  return Prisma.join(conditions, ' ')
}

/** Runs of matching events that are not over, as `run` and `event`. The runs of subscribers are few, and found first. */
function found(tenant: Tenant, filter: CancellationFilter): Prisma.Sql {
  const { subscriberId } = filter
  const fence = subscriberId === undefined ? byKey : Prisma.empty
  return Prisma.sql`${openRuns(tenant)} CROSS JOIN LATERAL (
      SELECT id, event_id, subscriber_id FROM workflow_runs
      WHERE environment_id = ${tenant.environmentId}::uuid AND id = open.id ${fence}
    ) AS run CROSS JOIN LATERAL (
      SELECT workflow_identifier, recipients, context_keys, created_at FROM events
      WHERE environment_id = ${tenant.environmentId}::uuid AND id = run.event_id ${fence}
    ) AS event
    WHERE true ${matching(filter)}
      ${subscriberId === undefined ? Prisma.empty : Prisma.sql`AND ${oneOf(Prisma.sql`run.subscriber_id`, subscriberId)}`}`
}

/** Matching events whose runs are still being created. With subscribers, those that name no other recipients. */
function unfinished({ environmentId }: Tenant, filter: CancellationFilter): Prisma.Sql {
  const { subscriberId } = filter
  return Prisma.sql`events AS event
    WHERE event.environment_id = ${environmentId}::uuid AND event.fanned_out_at IS NULL AND event.reason IS NULL
      AND event.cancelled_at IS NULL ${matching(filter)}
      ${
        subscriberId === undefined
          ? Prisma.empty
          : Prisma.sql`AND (
              SELECT bool_and(coalesce(recipient->>'subscriberId' = ANY (${[...subscriberId]}::text[]), false))
              FROM jsonb_array_elements(event.recipients) AS recipient
            )`
      }`
}

/** Finds runs of matching events that are not over, event by event, oldest first. */
export const findOpenRuns = (tenant: Tenant, filter: CancellationFilter, take: number): Promise<OpenRun[]> =>
  sql<OpenRun>(tenant.db, 'cancellation.findOpenRuns', { planForValues: true })`
    SELECT run.id, run.event_id AS "eventId" FROM ${found(tenant, filter)}
    ORDER BY run.event_id, run.id ${limitTo(take)}`

/** Finds the ids of matching events whose runs are still being created. */
export async function findUnfinishedEvents(
  tenant: Tenant,
  filter: CancellationFilter,
  take: number,
): Promise<readonly string[]> {
  const rows = await sql<{ id: string }>(tenant.db, 'cancellation.findUnfinishedEvents', { planForValues: true })`
    SELECT event.id FROM ${unfinished(tenant, filter)} ORDER BY event.id ${limitTo(take)}`
  return rows.map(({ id }) => id)
}

/** The numbers of runs that are not over, of their events, and of events whose runs are still being created. */
export interface OpenCounts {
  readonly runs: number
  readonly events: number
}

/** Counts what a cancellation would end, up to `limit` runs and as many events without runs. */
export async function countOpen(tenant: Tenant, filter: CancellationFilter, limit: number): Promise<OpenCounts> {
  const [counts] = await sql<OpenCounts>(tenant.db, 'cancellation.countOpen', { planForValues: true })`
    WITH open_run AS MATERIALIZED (
      SELECT run.id, run.event_id FROM ${found(tenant, filter)} ${limitTo(limit)}
    ), unfinished AS MATERIALIZED (
      SELECT event.id FROM ${unfinished(tenant, filter)} ${limitTo(limit)}
    )
    SELECT (SELECT count(*)::int FROM open_run) AS runs,
           (SELECT count(*)::int FROM (
             SELECT event_id FROM open_run UNION SELECT id FROM unfinished
           ) AS one) AS events`
  return counts ?? { runs: 0, events: 0 }
}

/** Marks events as cancelled, unless they are. They must be locked. @returns the number of those that it marked. */
export async function markCancelled({ db, environmentId }: Tenant, ids: readonly string[], now: Date): Promise<number> {
  const { count } = await db.event.updateMany({
    where: { environmentId, id: { in: [...ids] }, cancelledAt: null },
    data: { cancelledAt: now, updatedAt: now },
  })
  return count
}
