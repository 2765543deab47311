// What a cancellation of many events ends: runs and messages that are not over, and events whose runs do not exist yet.
import type { Tenant } from './reading/loader.ts'
import { oneOf } from './reading/page.ts'
import { type CreatedWithin, createdWithin } from './reading/row-list.ts'
import { Prisma } from './prisma/client.ts'
import { limitTo, sql } from './statement/statement.ts'

/** Selects events. Undefined fields match everything. */
export interface CancellationFilter extends CreatedWithin {
  readonly workflowIdentifier?: readonly string[] | undefined
  /** The recipients. Then only the runs of these subscribers match. */
  readonly subscriberId?: readonly string[] | undefined
  /** A topic that the event names as a recipient. */
  readonly topicKey?: string | undefined
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
      : [Prisma.sql`AND event.recipients @> jsonb_build_array(jsonb_build_object('topicKey', ${topicKey}::text))`]),
    ...(contextKeys === undefined ? [] : [Prisma.sql`AND event.context_keys = ${[...contextKeys]}::text[]`]),
    createdWithin(created, 'event.created_at'),
  ]
  return Prisma.join(conditions, ' ')
}

/**
 * Runs that are not over as `open(id)`: unfinished ones, those with unsent messages, and those that were merged into an
 * open digest.
 */
const openRuns = ({ environmentId }: Tenant) => Prisma.sql`(
  SELECT id FROM workflow_runs WHERE environment_id = ${environmentId}::uuid AND status IN ('running', 'waiting')
  UNION
  SELECT step.run_id FROM deliveries AS delivery
  JOIN step_runs AS step ON step.environment_id = delivery.environment_id AND step.id = delivery.step_run_id
  WHERE delivery.environment_id = ${environmentId}::uuid AND delivery.status = 'pending'
  UNION
  SELECT member.run_id FROM step_runs AS digest
  JOIN step_runs AS member ON member.environment_id = digest.environment_id AND member.merged_into_id = digest.id
  JOIN workflow_runs AS run ON run.environment_id = member.environment_id AND run.id = member.run_id
  WHERE digest.environment_id = ${environmentId}::uuid AND digest.status = 'waiting' AND digest.digest_key IS NOT NULL
    AND member.status = 'merged' AND run.status = 'completed'
) AS open`

/** Runs of matching events that are not over, as `run` and `event`. */
function found(tenant: Tenant, filter: CancellationFilter): Prisma.Sql {
  const { subscriberId } = filter
  return Prisma.sql`${openRuns(tenant)}
    JOIN workflow_runs AS run ON run.environment_id = ${tenant.environmentId}::uuid AND run.id = open.id
    JOIN events AS event ON event.environment_id = run.environment_id AND event.id = run.event_id
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

export interface OpenRun {
  readonly id: string
  readonly eventId: string
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
