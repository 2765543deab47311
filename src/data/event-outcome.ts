// What arrived of events: the outcomes of their runs, and counts of them by outcome and reason. Database triggers of a
// migration write both with every step.
import type { Connection } from './connection/database.ts'
import { changesToFold } from './event.ts'
import type { Batch, Tenant } from './reading/loader.ts'
import { Prisma, type WorkflowRun } from './prisma/client.ts'
import type { RunOutcome } from './prisma/enums.ts'
import { limitTo, sql, sqlCount } from './statement/statement.ts'
import { webhookParts } from './webhook/webhook-message.ts'

/** The outcome of a run, and why nothing arrived. */
export interface SettledRun extends Pick<WorkflowRun, 'reason' | 'reasonStepId'> {
  readonly outcome: RunOutcome
}

/** A number of runs with the same outcome and reason. */
export interface OutcomeCount {
  readonly outcome: RunOutcome
  /** Null for runs without a reason. */
  readonly reason: string | null
  readonly count: number
}

/** The outcome of a `run`, computed from its steps. */
const settled = Prisma.sql`CROSS JOIN LATERAL run_outcome(run.environment_id, run.id, run.status, run.error, run.updated_at) AS settled`

/** The outcomes of runs, computed from their steps, by run id. */
export const runOutcomes: Batch<string, SettledRun | null> = {
  async load({ db, environmentId }, ids) {
    const rows = await sql<SettledRun & { readonly id: string }>(db, 'event-outcome.runOutcomes')`
      SELECT run.id, settled.outcome, settled.reason, settled.reason_step_id AS "reasonStepId"
      FROM workflow_runs AS run ${settled}
      WHERE run.environment_id = ${environmentId}::uuid AND run.id = ANY (${[...ids]}::uuid[])`
    const byId = new Map(rows.map(({ id, ...outcome }) => [id, outcome]))
    return ids.map((id) => byId.get(id) ?? null)
  },
}

/**
 * The runs of events, counted by outcome and reason, by event id. The largest groups are first. Includes runs of earlier
 * versions, whose outcome is not stored yet.
 */
export const outcomeCounts: Batch<string, readonly OutcomeCount[]> = {
  async load({ db, environmentId }, ids) {
    const rows = await sql<OutcomeCount & { readonly id: string }>(db, 'event-outcome.outcomeCounts')`
      SELECT given.id, part.outcome, nullif(part.reason, '') AS reason, sum(part.runs)::int AS count
      FROM unnest(${[...ids]}::uuid[]) AS given(id)
      CROSS JOIN LATERAL (
        SELECT outcome, reason, runs FROM event_outcomes
        WHERE environment_id = ${environmentId}::uuid AND event_id = given.id
        UNION ALL
        SELECT outcome, reason, runs FROM event_outcome_changes
        WHERE environment_id = ${environmentId}::uuid AND event_id = given.id
        UNION ALL
        SELECT settled.outcome, coalesce(settled.reason, ''), 1 FROM workflow_runs AS run ${settled}
        WHERE run.environment_id = ${environmentId}::uuid AND run.event_id = given.id AND run.outcome IS NULL
      ) AS part
      GROUP BY given.id, part.outcome, part.reason HAVING sum(part.runs) <> 0
      ORDER BY count DESC, part.outcome, part.reason`
    const byId = new Map<string, OutcomeCount[]>(ids.map((id) => [id, []]))
    for (const { id, ...count } of rows) byId.get(id)?.push(count)
    return ids.map((id) => byId.get(id) ?? [])
  },
}

/** What a fold has changed. */
interface FoldedOutcomes {
  /** The number of changes. */
  readonly count: number
  /** The ids of their events, by environment. Only of the environments that were asked for. */
  readonly events: Readonly<Record<string, readonly string[]>>
}

/**
 * Adds changes to the counts of their events, of all environments, and deletes them. Like `foldTallies`.
 *
 * @param limit the maximum number of changes to add. @param environmentIds the environments whose events to return.
 */
export async function foldOutcomes(
  db: Connection,
  limit: number,
  environmentIds: readonly string[] = [],
): Promise<FoldedOutcomes> {
  const sumOf = (outcome: RunOutcome) =>
    Prisma.sql`coalesce(sum(runs) FILTER (WHERE outcome = ${outcome}::"RunOutcome"), 0)`
  const [folded] = await sql<FoldedOutcomes>(db, 'event-outcome.foldOutcomes')`
    WITH ${changesToFold(Prisma.sql`event_outcome_changes`, limit)}, change AS (
      SELECT taken.environment_id, event_id, created_at, outcome, reason, sum(runs)::int AS runs
      FROM taken JOIN held ON held.environment_id = taken.environment_id AND held.id = taken.event_id
      GROUP BY taken.environment_id, event_id, created_at, outcome, reason
    ), by_event AS (
      INSERT INTO event_tallies AS tally (environment_id, event_id, created_at, outcome_pending, outcome_delivered,
                                          outcome_failed, outcome_nothing)
      SELECT environment_id, event_id, created_at, ${sumOf('pending')}, ${sumOf('delivered')}, ${sumOf('failed')},
             ${sumOf('nothing')}
      FROM change GROUP BY environment_id, event_id, created_at ORDER BY environment_id, event_id
      ON CONFLICT (environment_id, event_id) DO UPDATE SET
        created_at = excluded.created_at,
        outcome_pending = tally.outcome_pending + excluded.outcome_pending,
        outcome_delivered = tally.outcome_delivered + excluded.outcome_delivered,
        outcome_failed = tally.outcome_failed + excluded.outcome_failed,
        outcome_nothing = tally.outcome_nothing + excluded.outcome_nothing,
        completed_at = CASE WHEN tally.outcome_pending + excluded.outcome_pending = 0 THEN tally.completed_at END
      RETURNING 1
    ), by_reason AS (
      INSERT INTO event_outcomes AS stored (environment_id, event_id, outcome, reason, runs)
      SELECT environment_id, event_id, outcome, reason, runs FROM change
      WHERE runs <> 0 ORDER BY environment_id, event_id, outcome, reason
      ON CONFLICT (environment_id, event_id, outcome, reason) DO UPDATE SET runs = stored.runs + excluded.runs
    )
    -- The tallies are written first, so that two processes lock the rows in the same order.
    SELECT (SELECT count(*) FROM taken)::int AS count, coalesce(jsonb_object_agg(environment_id, events), '{}') AS events
    FROM (
      SELECT environment_id, jsonb_agg(DISTINCT event_id) AS events FROM change
      WHERE environment_id = ANY (${[...environmentIds]}::uuid[]) GROUP BY environment_id
    ) AS wanted
    WHERE (SELECT count(*) FROM by_event) >= 0`
  return folded ?? { count: 0, events: {} }
}

/**
 * Notes that events have ended if all of their runs and messages have, and writes a webhook message about each. Call it in
 * the transaction that has added changes to their counts. An event that was retried ends again.
 */
export async function completeEvents(tenant: Tenant, ids: readonly string[], now: Date): Promise<void> {
  const { db, environmentId } = tenant
  const messages = Prisma.sql`
    SELECT gen_random_uuid() AS id, 'event.completed' AS type, context_keys, jsonb_build_object(
      'eventId', id, 'transactionId', transaction_id, 'workflowIdentifier', workflow_identifier,
      'contextKeys', context_keys, 'recipients', jsonb_build_object(
        'delivered', outcome_delivered, 'failed', outcome_failed, 'nothing', outcome_nothing)) AS data
    FROM ended`
  const { parts, wake } = webhookParts(tenant, ['event.completed'], messages, now)
  await sqlCount(db, 'event-outcome.completeEvents')`
    WITH held AS MATERIALIZED (
      SELECT event.id, event.transaction_id, event.workflow_identifier, event.context_keys, tally.outcome_delivered,
             tally.outcome_failed, tally.outcome_nothing
      FROM event_tallies AS tally
      JOIN events AS event ON event.environment_id = ${environmentId}::uuid AND event.id = tally.event_id
      WHERE tally.environment_id = ${environmentId}::uuid AND tally.event_id = ANY (${[...ids]}::uuid[])
        AND tally.completed_at IS NULL AND tally.outcome_pending = 0
        AND event.fanned_out_at IS NOT NULL AND event.cancelled_at IS NULL AND event.reason IS NULL
        AND NOT EXISTS (
          SELECT FROM event_outcome_changes AS change
          WHERE change.environment_id = ${environmentId}::uuid AND change.event_id = tally.event_id)
      ORDER BY event.id FOR UPDATE OF tally
    ), ended AS (
      UPDATE event_tallies AS tally SET completed_at = ${now}::timestamptz
      FROM held WHERE tally.environment_id = ${environmentId}::uuid AND tally.event_id = held.id
      RETURNING held.*
    ), ${Prisma.join([...parts])} ${wake}`
}

/** Has the outcomes of an event added up again, although none has changed. */
export async function touchOutcomes({ db, environmentId }: Tenant, eventId: string): Promise<void> {
  await sqlCount(db, 'event-outcome.touchOutcomes')`
    INSERT INTO event_outcome_changes (environment_id, event_id, outcome, reason, runs)
    VALUES (${environmentId}::uuid, ${eventId}::uuid, 'pending', '', 0)`
}

/**
 * Stores the outcomes of runs of earlier versions, of all environments. Safe in several processes at once. `updatedAt`
 * stays.
 *
 * @param limit the maximum number of runs. @returns their number.
 */
export async function storeOutcomes(db: Connection, limit: number): Promise<number> {
  const [stored] = await sql<{ count: number }>(db, 'event-outcome.storeOutcomes')`
    WITH held AS MATERIALIZED (
      SELECT environment_id, id, status, error, updated_at FROM workflow_runs WHERE outcome IS NULL
      ORDER BY environment_id, event_id, id ${limitTo(limit)} FOR UPDATE SKIP LOCKED
    ), written AS (
      UPDATE workflow_runs AS child
      SET outcome = settled.outcome, reason = settled.reason, reason_step_id = settled.reason_step_id
      FROM held AS run ${settled}
      WHERE child.environment_id = run.environment_id AND child.id = run.id
      RETURNING 1
    )
    SELECT count(*)::int AS count FROM written`
  return stored?.count ?? 0
}
