// What a later step asks of the earlier ones of its run.
import type { JsonObject } from '../lib/validation.ts'
import type { Tenant } from './loader.ts'
import type { StepStatus } from './prisma/enums.ts'

/** How an earlier step ended, or did not yet. */
export interface StepOutcome {
  readonly stepId: string
  readonly status: StepStatus
  readonly reason: string | null
  /** Of an in-app notification; false of everything else. */
  readonly seen: boolean
  readonly read: boolean
}

/** The outcomes of the steps of many runs, by the run's id. */
export async function stepOutcomes(
  { db, environmentId }: Tenant,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, readonly StepOutcome[]>> {
  const rows = await db.$queryRaw<(StepOutcome & { runId: string })[]>`
    SELECT step.run_id AS "runId", step.step_id AS "stepId", step.status, step.reason,
           notification.seen_at IS NOT NULL AS seen, notification.read_at IS NOT NULL AS read
    FROM step_runs AS step
    LEFT JOIN notifications AS notification
      ON notification.environment_id = step.environment_id AND notification.step_run_id = step.id
    WHERE step.environment_id = ${environmentId}::uuid AND step.run_id = ANY (${[...runIds]}::uuid[])
    ORDER BY step.position`
  const byRun = new Map<string, StepOutcome[]>(runIds.map((id) => [id, []]))
  for (const { runId, ...outcome } of rows) byRun.get(runId)?.push(outcome)
  return byRun
}

/** The triggers that a digest gathered. */
export interface DigestedEvents {
  /** Of all of them. */
  readonly count: number
  /** The oldest ones, each `{ payload, createdAt, transactionId }`. */
  readonly events: readonly JsonObject[]
}

/** Triggers of one digest that a template can show. All of them are counted. */
export const MAX_DIGESTED = 100

/** What the last digest of each of these runs gathered, its own trigger too. By the run's id; none without a digest. */
export async function digestedEvents(
  { db, environmentId }: Tenant,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, DigestedEvents>> {
  const rows = await db.$queryRaw<(DigestedEvents & { runId: string })[]>`
    SELECT digest.run_id AS "runId", gathered.count, gathered.events
    FROM (
      SELECT DISTINCT ON (run_id) run_id, id FROM step_runs
      WHERE environment_id = ${environmentId}::uuid AND run_id = ANY (${[...runIds]}::uuid[])
        AND type = 'digest' AND status = 'completed'
      ORDER BY run_id, position DESC
    ) AS digest
    CROSS JOIN LATERAL (
      SELECT max(total)::int AS count, jsonb_agg(jsonb_build_object(
        'payload', payload, 'createdAt', to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'transactionId', transaction_id) ORDER BY place) AS events
      FROM (
        SELECT event.payload, event.created_at, event.transaction_id, count(*) OVER () AS total,
               row_number() OVER (ORDER BY event.created_at, event.id) AS place
        FROM step_runs AS member
        JOIN workflow_runs AS run ON run.environment_id = member.environment_id AND run.id = member.run_id
        JOIN events AS event ON event.environment_id = run.environment_id AND event.id = run.event_id
        WHERE member.environment_id = ${environmentId}::uuid
          AND (member.id = digest.id OR member.merged_into_id = digest.id)
          AND event.cancelled_at IS NULL
        ORDER BY place LIMIT ${MAX_DIGESTED}
      ) AS oldest
    ) AS gathered`
  return new Map(rows.map(({ runId, ...gathered }) => [runId, gathered]))
}
