// Suspensions of workflows whose code was stopped repeatedly, by version of the workflow.
import type { Connection } from './connection/database.ts'
import { isNotDeleted } from './access/environment-deletion.ts'
import type { Batch, Tenant } from './reading/loader.ts'
import { Prisma, type WorkflowSuspension } from './prisma/client.ts'
import { limitTo, sql, sqlCount } from './statement/statement.ts'

/** A version of a workflow. */
export interface WorkflowVersion {
  readonly workflowId: string
  /** The workflow's `updatedAt`. */
  readonly version: Date
}

/** A workflow is suspended after this many stopped batches in `WINDOW`. */
const STOPS = 3
/** Milliseconds in which stopped batches count, and between two trials. */
const WINDOW = 10 * 60 * 1000

const keyOf = ({ workflowId, version }: WorkflowVersion) => `${workflowId} ${version.getTime()}`

/** The suspensions of these workflow versions. Null for versions that are not suspended. */
export const suspensions: Batch<WorkflowVersion, WorkflowSuspension | null> = {
  cacheKey: keyOf,
  async load({ db, environmentId }, versions) {
    const rows = await db.workflowSuspension.findMany({
      where: {
        environmentId,
        workflowId: { in: versions.map(({ workflowId }) => workflowId) },
        suspendedAt: { not: null },
      },
    })
    const found = new Map(rows.map((row) => [keyOf(row), row]))
    return versions.map((version) => found.get(keyOf(version)) ?? null)
  },
}

/** The maximum number of suspended workflows to count. */
const MAX_COUNTED = 1_000

/** Counts the workflows of all environments whose current version is suspended, up to `MAX_COUNTED`. */
export async function countSuspended(db: Connection): Promise<number> {
  const [counted] = await sql<{ count: number }>(db, 'workflow-suspension.countSuspended')`
    SELECT count(*)::int AS count FROM (
      SELECT environment_id, workflow_id, version FROM workflow_suspensions
      WHERE suspended_at IS NOT NULL ORDER BY environment_id, workflow_id ${limitTo(MAX_COUNTED)}
    ) AS suspension
    JOIN workflows AS workflow
      ON workflow.environment_id = suspension.environment_id AND workflow.id = suspension.workflow_id
      AND workflow.updated_at = suspension.version
    WHERE ${isNotDeleted(Prisma.sql`suspension.environment_id`)}`
  return counted?.count ?? 0
}

/**
 * Records a stopped batch, and suspends the workflow with the third one within ten minutes.
 *
 * @returns true if this batch has suspended it.
 */
export async function recordStop(
  { db, environmentId }: Tenant,
  { workflowId, version }: WorkflowVersion,
  reason: string,
  now: Date,
): Promise<boolean> {
  const since = new Date(now.getTime() - WINDOW)
  // The stop is added by a statement of its own, because ON CONFLICT should only read the two rows.
  await sqlCount(db, 'workflow-suspension.recordStop')`
    INSERT INTO workflow_suspensions (environment_id, workflow_id, version, stopped_at, reason)
    SELECT ${environmentId}::uuid, id, ${version}::timestamptz, '{}', ${reason} FROM workflows
    WHERE environment_id = ${environmentId}::uuid AND id = ${workflowId}::uuid
    ON CONFLICT (environment_id, workflow_id, version) DO NOTHING`
  const rows = await sql<{ suspended: boolean }>(db, 'workflow-suspension.recordStop')`
    UPDATE workflow_suspensions
    SET reason = ${reason},
        stopped_at = ARRAY(
          SELECT stopped FROM unnest(stopped_at || ${now}::timestamptz) AS stopped
          WHERE stopped > ${since}::timestamptz ORDER BY stopped DESC ${limitTo(STOPS)}
        ),
        suspended_at = coalesce(suspended_at, CASE
          WHEN (
            SELECT count(*) FROM unnest(stopped_at || ${now}::timestamptz) AS stopped
            WHERE stopped > ${since}::timestamptz
          ) >= ${STOPS} THEN ${now}::timestamptz
        END)
    WHERE environment_id = ${environmentId}::uuid AND workflow_id = ${workflowId}::uuid
      AND version = ${version}::timestamptz
    RETURNING suspended_at IS NOT DISTINCT FROM ${now}::timestamptz AS suspended`
  return rows[0]?.suspended === true
}

const lastTrialOf = ({ triedAt, suspendedAt }: WorkflowSuspension) => (triedAt ?? suspendedAt)?.getTime() ?? 0

/** Returns true if a run of a suspended workflow may be tried. */
export const isTrialDue = (suspension: WorkflowSuspension, now: Date): boolean =>
  lastTrialOf(suspension) + WINDOW <= now.getTime()

/** Claims the trial of a suspended workflow. @returns false if it is not due, or another job has claimed it. */
export async function claimTrial(
  { db, environmentId }: Tenant,
  { workflowId, version }: WorkflowVersion,
  now: Date,
): Promise<boolean> {
  const before = new Date(now.getTime() - WINDOW)
  const { count } = await db.workflowSuspension.updateMany({
    where: {
      environmentId,
      workflowId,
      version,
      OR: [{ triedAt: { lte: before } }, { triedAt: null, suspendedAt: { lte: before } }],
    },
    data: { triedAt: now },
  })
  return count > 0
}

/** Ends a suspension after a successful trial. @returns false if another job has ended it. */
export async function liftSuspension(
  { db, environmentId }: Tenant,
  { workflowId, version }: WorkflowVersion,
): Promise<boolean> {
  const { count } = await db.workflowSuspension.deleteMany({ where: { environmentId, workflowId, version } })
  return count > 0
}
