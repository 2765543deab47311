// Repetitions: what a retry of runs writes, and how runs pass over the steps that are not repeated.
import type { Tenant } from './reading/loader.ts'
import { Prisma, type StepRun } from './prisma/client.ts'
import type { StepStatus } from './prisma/enums.ts'
import { rowsOf } from './statement/table.ts'
import { sql, sqlCount } from './statement/statement.ts'
import { type StepRunRow, stepRunTable } from './step-run.ts'

/** The steps of a run that was retried, by position. */
export interface RetriedSteps {
  /** Steps that stay as they are. */
  readonly kept: ReadonlyMap<number, StepStatus>
  /** The ids of the step runs that are executed again. */
  readonly repeated: ReadonlyMap<number, string>
}

/** Reads the steps of retried runs, by run id. */
export async function retriedSteps(
  { db, environmentId }: Tenant,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, RetriedSteps>> {
  const byRun = new Map(
    runIds.map((id) => [id, { kept: new Map<number, StepStatus>(), repeated: new Map<number, string>() }]),
  )
  if (runIds.length === 0) return byRun
  const rows = await sql<Pick<StepRun, 'id' | 'runId' | 'position' | 'status' | 'isRepeated'>>(
    db,
    'repetition.retriedSteps',
  )`
    SELECT id, run_id AS "runId", position, status, is_repeated AS "isRepeated" FROM step_runs
    WHERE environment_id = ${environmentId}::uuid AND run_id = ANY (${[...runIds]}::uuid[])`
  for (const { id, runId, position, status, isRepeated } of rows) {
    if (isRepeated) byRun.get(runId)?.repeated.set(position, id)
    else byRun.get(runId)?.kept.set(position, status)
  }
  return byRun
}

/** The statement that writes the decisions on repeated steps. Skips those that were decided meanwhile. */
export const stepRunRepetition = (
  { environmentId }: Tenant,
  rows: readonly StepRunRow[],
  now: Date,
): Prisma.Sql => Prisma.sql`
  WITH held AS MATERIALIZED (
    SELECT id FROM step_runs
    WHERE environment_id = ${environmentId}::uuid AND id = ANY (${rows.map(({ id }) => id)}::uuid[]) AND is_repeated
    ORDER BY id FOR UPDATE
  )
  UPDATE step_runs AS step
  SET status = given.status, reason = given.reason, detail = given.detail, named_id = given.named_id, cause = NULL,
      is_repeated = false, updated_at = ${now}::timestamptz
  FROM held JOIN ${rowsOf(stepRunTable, rows)} AS given ON given.id = held.id
  WHERE step.environment_id = ${environmentId}::uuid AND step.id = held.id`

/** A step of a run. */
interface StepPlace {
  readonly runId: string
  readonly position: number
}

/** A run that a retry starts again. */
export interface RestartedRun {
  readonly id: string
  /** `waiting` if it waits in a step. */
  readonly status: 'running' | 'waiting'
  /** The position of the next step. */
  readonly position: number
  /** The workflow that it executes. Null for that of its event. */
  readonly snapshotHash: string | null
  /** True if nothing was decided for it, so that its steps are executed as if it were new. */
  readonly isNew: boolean
}

const places = (steps: readonly StepPlace[]) => Prisma.sql`unnest(
  ${steps.map(({ runId }) => runId)}::uuid[], ${steps.map(({ position }) => position)}::int[]) AS place(run_id, position)`

/** The failed messages of steps, in the order of their ids. The runs must be locked. */
export async function failedMessages(
  { db, environmentId }: Tenant,
  steps: readonly StepPlace[],
): Promise<readonly string[]> {
  if (steps.length === 0) return []
  const rows = await sql<{ id: string }>(db, 'repetition.failedMessages')`
    SELECT delivery.id FROM ${places(steps)}
    JOIN step_runs AS step ON step.environment_id = ${environmentId}::uuid AND step.run_id = place.run_id
      AND step.position = place.position
    JOIN deliveries AS delivery ON delivery.environment_id = ${environmentId}::uuid AND delivery.step_run_id = step.id
    WHERE delivery.status = 'failed' ORDER BY delivery.id`
  return rows.map(({ id }) => id)
}

/** Cancels failed messages that new ones replace, so that nothing retries them. */
export async function replaceDeliveries(
  { db, environmentId }: Tenant,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  if (ids.length === 0) return
  await sqlCount(db, 'repetition.replaceDeliveries')`
    WITH held AS MATERIALIZED (
      SELECT id FROM deliveries
      WHERE environment_id = ${environmentId}::uuid AND id = ANY (${[...ids]}::uuid[]) AND status = 'failed'
      ORDER BY id FOR UPDATE
    )
    UPDATE deliveries AS delivery
    SET status = 'cancelled', cause = NULL, secret_content = NULL, updated_at = ${now}::timestamptz
    FROM held WHERE delivery.environment_id = ${environmentId}::uuid AND delivery.id = held.id`
}

/** Starts runs again, and marks the steps that they repeat. The runs must be locked. */
export async function restartRuns(
  { db, environmentId }: Tenant,
  runs: readonly RestartedRun[],
  repeated: readonly StepPlace[],
  now: Date,
): Promise<void> {
  if (runs.length === 0) return
  const undecided = runs.flatMap(({ id, isNew }) => (isNew ? [id] : []))
  await sqlCount(db, 'repetition.restartRuns')`
    WITH held AS MATERIALIZED (
      SELECT step.id FROM ${places(repeated)}
      JOIN step_runs AS step ON step.environment_id = ${environmentId}::uuid AND step.run_id = place.run_id
        AND step.position = place.position
      ORDER BY step.id FOR UPDATE OF step
    ), marked AS (
      UPDATE step_runs AS step SET is_repeated = true
      FROM held WHERE step.environment_id = ${environmentId}::uuid AND step.id = held.id
    ), removed AS (
      DELETE FROM step_runs WHERE environment_id = ${environmentId}::uuid AND run_id = ANY (${undecided}::uuid[])
    )
    UPDATE workflow_runs AS run
    SET status = given.status::"RunStatus", position = given.position, error = NULL, snapshot_hash = given.snapshot_hash,
        retried_at = ${now}::timestamptz, updated_at = ${now}::timestamptz
    FROM unnest(${runs.map(({ id }) => id)}::uuid[], ${runs.map(({ status }) => status)}::text[],
                ${runs.map(({ position }) => position)}::int[],
                ${runs.map(({ snapshotHash }) => snapshotHash)}::text[]) AS given(id, status, position, snapshot_hash)
    WHERE run.environment_id = ${environmentId}::uuid AND run.id = given.id`
}

/** When the waits of runs end, by run id. */
export async function waitTimes(
  { db, environmentId }: Tenant,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  if (runIds.length === 0) return new Map()
  const rows = await sql<{ runId: string; dueAt: Date }>(db, 'repetition.waitTimes')`
    SELECT run_id AS "runId", due_at AS "dueAt" FROM step_runs
    WHERE environment_id = ${environmentId}::uuid AND run_id = ANY (${[...runIds]}::uuid[])
      AND status = 'waiting' AND due_at IS NOT NULL`
  return new Map(rows.map(({ runId, dueAt }) => [runId, dueAt]))
}
