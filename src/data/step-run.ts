// Step runs: the outcome of each step of a run, its waits and digests.
import type { JsonObject } from '../lib/validation.ts'
import { groupBatch, type Tenant } from './reading/loader.ts'
import { type Delivery, Prisma, type StepRun } from './prisma/client.ts'
import type { StepStatus, StepType } from './prisma/enums.ts'
import { rowBy, rowsWhere } from './reading/row.ts'
import { createdIn, insertRows, type Table } from './statement/table.ts'
import { limitTo, sql, sqlCount } from './statement/statement.ts'
import { MAX_DIGESTED } from './workflow.ts'

export const stepRunTable: Table<StepRun> = {
  name: 'step_runs',
  fields: Object.values(Prisma.StepRunScalarFieldEnum),
}

export const stepRunsById = rowBy(stepRunTable, { field: 'id', type: 'uuid' })

/** The step runs of many runs, by run, in order. */
export const stepRunsIn = (tenant: Tenant, runIds: readonly string[]): Promise<StepRun[]> =>
  rowsWhere(tenant, stepRunTable, { field: 'runId', type: 'uuid' }, runIds, ['runId', 'position'])

export const stepRunsByRun = groupBatch(stepRunsIn, ({ runId }) => runId)

const noReceipts = Prisma.sql`SELECT false AS delivered, false AS bounced`

const receiptsOfSteps = (environmentId: string) => Prisma.sql`
  SELECT coalesce(bool_or(delivered_at IS NOT NULL AND bounced_at IS NULL), false) AS delivered,
         coalesce(bool_and(bounced_at IS NOT NULL), false) AS bounced
  FROM deliveries WHERE environment_id = ${environmentId}::uuid AND step_run_id = step.id`

/** The outcome so far of an earlier step. */
export interface StepOutcome {
  readonly stepId: string
  readonly status: StepStatus
  readonly reason: string | null
  /** True if the step's in-app notification was seen. */
  readonly seen: boolean
  /** True if it was read. */
  readonly read: boolean
  /** True if a message of the step was delivered, and did not bounce later. False unless receipts are read. */
  readonly delivered: boolean
  /** True if all messages of the step bounced. False unless receipts are read. */
  readonly bounced: boolean
}

/** The outcomes of the steps of runs, by run id. @param withReceipts true to read the receipts of their messages. */
export async function stepOutcomes(
  { db, environmentId }: Tenant,
  runIds: readonly string[],
  withReceipts: boolean,
): Promise<ReadonlyMap<string, readonly StepOutcome[]>> {
  const receipts = withReceipts ? receiptsOfSteps(environmentId) : noReceipts
  const rows = await sql<StepOutcome & { runId: string }>(db, 'step-run.stepOutcomes')`
    SELECT step.run_id AS "runId", step.step_id AS "stepId", step.status, step.reason,
           notification.seen_at IS NOT NULL AS seen, notification.read_at IS NOT NULL AS read, receipt.*
    FROM step_runs AS step
    LEFT JOIN notifications AS notification
      ON notification.environment_id = ${environmentId}::uuid AND notification.step_run_id = step.id
    CROSS JOIN LATERAL (${receipts}) AS receipt
    WHERE step.environment_id = ${environmentId}::uuid AND step.run_id = ANY (${[...runIds]}::uuid[])
    ORDER BY step.position`
  const byRun = new Map<string, StepOutcome[]>(runIds.map((id) => [id, []]))
  for (const { runId, ...outcome } of rows) byRun.get(runId)?.push(outcome)
  return byRun
}

/** The first email of a step. */
export interface StepEmail extends Pick<Delivery, 'id' | 'content' | 'providerId' | 'integrationId'> {
  readonly runId: string
  readonly stepId: string
}

/** The emails of the steps of runs. */
export const stepEmails = (
  { db, environmentId }: Tenant,
  runIds: readonly string[],
): Promise<StepEmail[]> => sql<StepEmail>(db, 'step-run.stepEmails')`
  SELECT DISTINCT ON (step.id) step.run_id AS "runId", step.step_id AS "stepId", delivery.id, delivery.content,
         delivery.provider_id AS "providerId", delivery.integration_id AS "integrationId"
  FROM step_runs AS step
  JOIN deliveries AS delivery ON delivery.environment_id = ${environmentId}::uuid AND delivery.step_run_id = step.id
  WHERE step.environment_id = ${environmentId}::uuid AND step.run_id = ANY (${[...runIds]}::uuid[])
    AND delivery.channel = 'email'
  ORDER BY step.id, delivery.created_at, delivery.id`

/** The triggers collected by a digest. */
export interface DigestedEvents {
  /** The step that collected them. */
  readonly stepId: string
  /** The number of collected triggers. */
  readonly count: number
  /**
   * The newest `MAX_DIGESTED` in order of time, each `{ payload, createdAt, transactionId, actor }`. An actor has
   * `subscriberId`, `firstName` and `lastName`.
   */
  readonly events: readonly JsonObject[]
  /** True if any of these triggers has attachments. */
  readonly hasAttachments: boolean
}

/**
 * The triggers of each run's last digest, including its own, by run id. Runs without a digest are left out. Looks up one
 * row after the other: joins that were planned while the tables were small would read them whole for each trigger.
 */
export async function digestedEvents(
  { db, environmentId }: Tenant,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, DigestedEvents>> {
  const rows = await sql<DigestedEvents & { runId: string }>(db, 'step-run.digestedEvents', { planForValues: true })`
    SELECT digest.run_id AS "runId", digest.step_id AS "stepId", gathered.count, gathered.events,
           gathered."hasAttachments"
    FROM (
      SELECT DISTINCT ON (run_id) run_id, id, step_id FROM step_runs
      WHERE environment_id = ${environmentId}::uuid AND run_id = ANY (${[...runIds]}::uuid[])
        AND type = 'digest' AND status = 'completed'
      ORDER BY run_id, position DESC
    ) AS digest
    CROSS JOIN LATERAL (
      SELECT max(total)::int AS count, jsonb_agg(jsonb_build_object(
        'payload', payload, 'createdAt', to_char(newest.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'transactionId', transaction_id,
        'actor', CASE WHEN newest.actor IS NOT NULL THEN jsonb_build_object('subscriberId', newest.actor,
          'firstName', subscriber.first_name, 'lastName', subscriber.last_name) END) ORDER BY place) AS events,
        bool_or(attached) AS "hasAttachments"
      FROM (
        SELECT event.payload, event.created_at, event.transaction_id, event.actor, count(*) OVER () AS total,
               bool_or(event.attachment_count IS NOT NULL) OVER () AS attached,
               row_number() OVER (ORDER BY event.created_at, event.id) AS place
        FROM (
          SELECT digest.run_id
          UNION ALL
          SELECT run_id FROM step_runs WHERE environment_id = ${environmentId}::uuid AND merged_into_id = digest.id
        ) AS member
        CROSS JOIN LATERAL (
          SELECT event_id FROM workflow_runs
          WHERE environment_id = ${environmentId}::uuid AND id = member.run_id LIMIT 1
        ) AS run
        CROSS JOIN LATERAL (
          SELECT * FROM events WHERE environment_id = ${environmentId}::uuid AND id = run.event_id LIMIT 1
        ) AS event
        WHERE event.cancelled_at IS NULL
        ORDER BY place DESC ${limitTo(MAX_DIGESTED)}
      ) AS newest
      LEFT JOIN subscribers AS subscriber
        ON subscriber.environment_id = ${environmentId}::uuid AND subscriber.subscriber_id = newest.actor
    ) AS gathered`
  return new Map(rows.map(({ runId, ...gathered }) => [runId, gathered]))
}

/** A step run to insert. */
export interface StepRunRow {
  readonly id: string
  readonly runId: string
  readonly position: number
  readonly stepId: string
  readonly type: StepType
  readonly status: StepStatus
  readonly reason?: string
  readonly detail?: string
  readonly dueAt?: Date | null
  readonly digestKey?: string | null
  readonly mergedIntoId?: string
  /** The row id of the first object that the detail names. */
  readonly namedId?: string
  /** True if the step run exists, and a retry repeats it. Default: false. */
  readonly isRepeated?: true
}

/**
 * The statement that inserts step runs, in the order of their digest keys, which prevents deadlocks. Skips steps that
 * already have one, and digests that are open in another run.
 */
export const stepRunInsert = (tenant: Tenant, rows: readonly StepRunRow[], now: Date): Prisma.Sql => Prisma.sql`
  ${insertRows(stepRunTable, rows, { ...createdIn(tenant, now), isRepeated: Prisma.sql`false` })}
  ORDER BY given.digest_key, given.id
  ON CONFLICT DO NOTHING
  RETURNING id`

/** Inserts step runs, as `stepRunInsert` does. @returns the inserted ids. */
export async function insertStepRuns(
  tenant: Tenant,
  rows: readonly StepRunRow[],
  now: Date,
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set()
  const insert = stepRunInsert(tenant, rows, now)
  const inserted = await sql<{ id: string }>(tenant.db, 'step-run.insertStepRuns')`${insert}`
  return new Set(inserted.map(({ id }) => id))
}

/** Locks the open digests with these keys. @returns their ids by key. */
export async function holdDigests(
  { db, environmentId }: Tenant,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ id: string; digestKey: string }>(db, 'step-run.holdDigests')`
    SELECT id, digest_key AS "digestKey" FROM step_runs
    WHERE environment_id = ${environmentId}::uuid AND digest_key = ANY (${[...keys]}::text[]) AND status = 'waiting'
    ORDER BY digest_key FOR UPDATE`
  return new Map(rows.map(({ id, digestKey }) => [digestKey, id]))
}

/** Locks the waiting steps at a position. Digests in the order of their keys, as runs that join them do. */
const heldWaits = ({ environmentId }: Tenant, runIds: readonly string[], position: number) => Prisma.sql`
  SELECT id, run_id FROM step_runs
  WHERE environment_id = ${environmentId}::uuid AND run_id = ANY (${[...runIds]}::uuid[])
    AND position = ${position} AND status = 'waiting'
  ORDER BY digest_key, id FOR UPDATE`

/**
 * Completes the waiting step at a position. @returns the ids of the runs in which it was waiting.
 */
export async function endWait(
  tenant: Tenant,
  runIds: readonly string[],
  position: number,
  now: Date,
): Promise<ReadonlySet<string>> {
  if (runIds.length === 0) return new Set()
  const ended = await sql<{ runId: string }>(tenant.db, 'step-run.endWait')`
    WITH held AS MATERIALIZED (${heldWaits(tenant, runIds, position)})
    UPDATE step_runs AS step SET status = 'completed', updated_at = ${now}::timestamptz
    FROM held WHERE step.environment_id = ${tenant.environmentId}::uuid AND step.id = held.id
    RETURNING step.run_id AS "runId"`
  return new Set(ended.map(({ runId }) => runId))
}

/** A later end of a run's wait. */
export interface ProlongedWait {
  readonly runId: string
  readonly dueAt: Date
}

/** Prolongs the waits of runs at a position. */
export async function prolongWaits(tenant: Tenant, given: readonly ProlongedWait[], position: number, now: Date) {
  if (given.length === 0) return
  const runIds = given.map(({ runId }) => runId)
  const ends = given.map(({ dueAt }) => dueAt.toISOString())
  await sqlCount(tenant.db, 'step-run.prolongWaits')`
    WITH held AS MATERIALIZED (${heldWaits(tenant, runIds, position)})
    UPDATE step_runs AS step SET due_at = given.due_at::timestamptz, updated_at = ${now}::timestamptz
    FROM held JOIN unnest(${runIds}::uuid[], ${ends}::text[]) AS given(run_id, due_at) USING (run_id)
    WHERE step.environment_id = ${tenant.environmentId}::uuid AND step.id = held.id`
}

/** The given runs that have a waiting step. */
export async function waitingRuns(
  { db, environmentId }: Tenant,
  runIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (runIds.length === 0) return new Set()
  const rows = await sql<{ runId: string }>(db, 'step-run.waitingRuns')`
    SELECT run_id AS "runId" FROM step_runs
    WHERE environment_id = ${environmentId}::uuid AND run_id = ANY (${[...runIds]}::uuid[]) AND status = 'waiting'`
  return new Set(rows.map(({ runId }) => runId))
}

/**
 * Releases the triggers that were merged into digests of a cancelled event.
 *
 * @returns their runs by event id. Each is at its own digest step again.
 */
export const releaseDigested = (tenant: Tenant, eventId: string, now: Date): Promise<RunsByEvent> =>
  release(tenant, Prisma.sql`run.event_id = ${eventId}::uuid`, now)

/** The same for the cancelled digests of these runs. */
export const releaseDigestedByRuns = (tenant: Tenant, runIds: readonly string[], now: Date): Promise<RunsByEvent> =>
  release(tenant, Prisma.sql`run.id = ANY (${[...runIds]}::uuid[])`, now)

/** The ids of runs, by the id of their event. */
type RunsByEvent = ReadonlyMap<string, readonly string[]>

async function release({ db, environmentId }: Tenant, which: Prisma.Sql, now: Date): Promise<RunsByEvent> {
  const released = await sql<{ id: string; eventId: string }>(db, 'step-run.releaseDigested')`
    WITH gathered AS (
      DELETE FROM step_runs AS member
      USING step_runs AS digest
      JOIN workflow_runs AS run ON run.environment_id = ${environmentId}::uuid AND run.id = digest.run_id
      WHERE run.environment_id = ${environmentId}::uuid AND ${which}
        AND digest.environment_id = ${environmentId}::uuid AND digest.status = 'cancelled' AND digest.type = 'digest'
        AND member.environment_id = ${environmentId}::uuid AND member.merged_into_id = digest.id
      RETURNING member.run_id
    ), held AS MATERIALIZED (
      SELECT run.id FROM gathered
      JOIN workflow_runs AS run ON run.environment_id = ${environmentId}::uuid AND run.id = gathered.run_id
      WHERE run.status = 'completed'
      ORDER BY run.id FOR UPDATE OF run
    )
    UPDATE workflow_runs AS run SET status = 'running', updated_at = ${now}::timestamptz
    FROM held WHERE run.environment_id = ${environmentId}::uuid AND run.id = held.id
    RETURNING run.id, run.event_id AS "eventId"`
  const byEvent = new Map<string, string[]>()
  for (const { id, eventId: of } of released) {
    const siblings = byEvent.get(of)
    if (siblings) siblings.push(id)
    else byEvent.set(of, [id])
  }
  return byEvent
}
