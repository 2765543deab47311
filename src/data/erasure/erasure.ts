// Erasures: their rows and jobs, and the runs of the persons.
import type { Tenant } from '../reading/loader.ts'
import { type Erasure as Row, Prisma } from '../prisma/client.ts'
import { rowBy } from '../reading/row.ts'
import type { Table } from '../statement/table.ts'
import { limitTo, sql, sqlCount } from '../statement/statement.ts'

export type StoredErasure = Row

const erasureTable: Table<StoredErasure> = { name: 'erasures', fields: Object.values(Prisma.ErasureScalarFieldEnum) }

export const erasuresById = rowBy(erasureTable, { field: 'id', type: 'uuid' })

/**
 * Locks a page of the runs of a subscriberId that were created at a time or before, in the order of their ids, which
 * prevents deadlocks.
 *
 * @returns the ids of the runs.
 */
export async function holdRunsNamed(
  { db, environmentId }: Tenant,
  subscriberId: string,
  until: Date,
  take: number,
): Promise<string[]> {
  const rows = await sql<{ id: string }>(db, 'erasure.holdRunsNamed')`
    WITH page AS MATERIALIZED (
      SELECT id FROM workflow_runs
      WHERE environment_id = ${environmentId}::uuid AND subscriber_id = ${subscriberId}
        AND created_at <= ${until}::timestamptz
      ORDER BY created_at, id ${limitTo(take)}
    )
    SELECT run.id FROM page
    JOIN workflow_runs AS run ON run.environment_id = ${environmentId}::uuid AND run.id = page.id
    ORDER BY run.id FOR UPDATE OF run`
  return rows.map(({ id }) => id)
}

/** True if there are runs of a subscriberId. */
export async function hasRunsOf({ db, environmentId }: Tenant, subscriberId: string): Promise<boolean> {
  const rows = await sql<object>(db, 'erasure.hasRunsOf')`
    SELECT id FROM workflow_runs
    WHERE environment_id = ${environmentId}::uuid AND subscriber_id = ${subscriberId} LIMIT 1`
  return rows.length > 0
}

/** The jobs of an erasure, with the state that shows whether one was taken. */
export function erasureJobs({ db, environmentId }: Tenant, erasureId: string): Promise<object[]> {
  return sql<object>(db, 'erasure.erasureJobs')`
    SELECT id, attempt_count AS "attemptCount" FROM jobs
    WHERE environment_id = ${environmentId}::uuid AND queue NOT IN ('fan_out', 'deliver')
      AND queue = 'erase' AND data->>'erasureId' = ${erasureId}
    ORDER BY id`
}

/** Replaces the subscriberId of runs and of their messages, and the errors of the runs. */
export async function renameRuns(
  { db, environmentId }: Tenant,
  ids: readonly string[],
  { placeholder, error }: { readonly placeholder: string; readonly error: string },
): Promise<void> {
  await sqlCount(db, 'erasure.renameRuns')`
    UPDATE workflow_runs SET subscriber_id = ${placeholder}, error = CASE WHEN error IS NOT NULL THEN ${error} END
    WHERE environment_id = ${environmentId}::uuid AND id = ANY (${[...ids]}::uuid[])`
  await sqlCount(db, 'erasure.renameRuns')`
    UPDATE deliveries AS delivery SET subscriber_id = ${placeholder}
    FROM step_runs AS step
    WHERE step.environment_id = ${environmentId}::uuid AND step.run_id = ANY (${[...ids]}::uuid[])
      AND delivery.environment_id = ${environmentId}::uuid AND delivery.step_run_id = step.id`
}

/** An object that names a person, identified by its row. */
export interface MentionRow {
  readonly type: string
  readonly id: string
}

/** Adds objects to the list of an erasure, up to `most`, and adds their number to its count. */
export async function addMentions(
  { db, environmentId }: Tenant,
  erasureId: string,
  rows: readonly MentionRow[],
  most: number,
): Promise<void> {
  if (rows.length === 0) return
  await sqlCount(db, 'erasure.addMentions')`
    UPDATE erasures
    SET mention_count = mention_count + ${rows.length}::int,
        mentions = mentions || coalesce((
          SELECT jsonb_agg(one ORDER BY place)
          FROM jsonb_array_elements(${JSON.stringify(rows)}::jsonb) WITH ORDINALITY AS given(one, place)
          WHERE place <= ${most}::int - jsonb_array_length(mentions)), '[]')
    WHERE environment_id = ${environmentId}::uuid AND id = ${erasureId}::uuid`
}

/** Deletes the jobs that would erase the runs of a subscriberId. They contain it, and have nothing left to do. */
export async function deleteRunErasures({ db, environmentId }: Tenant, subscriberId: string): Promise<void> {
  await sqlCount(db, 'erasure.deleteRunErasures')`
    DELETE FROM jobs WHERE environment_id = ${environmentId}::uuid AND queue NOT IN ('fan_out', 'deliver')
      AND queue = 'erase' AND data->>'subscriberId' = ${subscriberId}`
}
