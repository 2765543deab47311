// Runs that are not over, which can be cancelled: unfinished ones, those with unsent messages, and those that were merged
// into an open digest.
import { rowBatch, type Tenant } from './reading/loader.ts'
import { Prisma } from './prisma/client.ts'
import { runConditions, type WorkflowRunFilter } from './run.ts'
import { limitTo, sql } from './statement/statement.ts'

/** A run that is not over. */
export interface OpenRun {
  readonly id: string
  readonly eventId: string
}

/**
 * Makes a subquery of a join a lookup by key, one for each row before it. A campaign that is wrong is newer than the
 * statistics, so PostgreSQL expects none of its rows, and would compare each with every other.
 */
export const byKey = Prisma.sql`OFFSET 0`

/** All runs of the environment that are not over, as `open(id)`. */
export const openRuns = ({ environmentId }: Tenant) => Prisma.sql`(
  SELECT id FROM workflow_runs WHERE environment_id = ${environmentId}::uuid AND status IN ('running', 'waiting')
  UNION
  SELECT step.run_id FROM deliveries AS delivery CROSS JOIN LATERAL (
    SELECT run_id FROM step_runs WHERE environment_id = ${environmentId}::uuid AND id = delivery.step_run_id ${byKey}
  ) AS step
  WHERE delivery.environment_id = ${environmentId}::uuid AND delivery.status = 'pending'
  UNION
  SELECT member.run_id FROM step_runs AS digest CROSS JOIN LATERAL (
    SELECT run_id FROM step_runs
    WHERE environment_id = ${environmentId}::uuid AND merged_into_id = digest.id AND status = 'merged' ${byKey}
  ) AS member CROSS JOIN LATERAL (
    SELECT FROM workflow_runs
    WHERE environment_id = ${environmentId}::uuid AND id = member.run_id AND status = 'completed' ${byKey}
  ) AS run
  WHERE digest.environment_id = ${environmentId}::uuid AND digest.status = 'waiting' AND digest.digest_key IS NOT NULL
) AS open`

/**
 * The condition that a `child` is one of them, with a leading AND, for few runs. Not EXISTS, for which PostgreSQL may read
 * the messages of all runs.
 */
const isOpen = ({ environmentId }: Pick<Tenant, 'environmentId'>) => Prisma.sql`AND (
  child.status IN ('running', 'waiting')
  OR (
    SELECT true FROM step_runs AS step
    JOIN deliveries AS delivery ON delivery.environment_id = ${environmentId}::uuid AND delivery.step_run_id = step.id
    WHERE step.environment_id = ${environmentId}::uuid AND step.run_id = child.id AND delivery.status = 'pending' LIMIT 1
  )
  OR child.status = 'completed' AND (
    SELECT true FROM step_runs AS step
    JOIN step_runs AS digest ON digest.environment_id = ${environmentId}::uuid AND digest.id = step.merged_into_id
    WHERE step.environment_id = ${environmentId}::uuid AND step.run_id = child.id AND step.status = 'merged'
      AND digest.status = 'waiting' AND digest.digest_key IS NOT NULL LIMIT 1
  )
)`

/** Runs that match a filter and are not over, as `child`. Those of an event or of subscribers are few, and found first. */
function found(tenant: Tenant, filter: WorkflowRunFilter): Prisma.Sql {
  const { transactionId, subscriberId } = filter
  const environment = Prisma.sql`environment_id = ${tenant.environmentId}::uuid`
  return transactionId === undefined && subscriberId === undefined
    ? Prisma.sql`${openRuns(tenant)} CROSS JOIN LATERAL (
        SELECT * FROM workflow_runs WHERE ${environment} AND id = open.id ${byKey}
      ) AS child
      WHERE true ${runConditions(tenant, filter)}`
    : Prisma.sql`workflow_runs AS child WHERE child.${environment} ${runConditions(tenant, filter)} ${isOpen(tenant)}`
}

/** Finds runs that match a filter and are not over, event by event, oldest first. */
export const findMatchingRuns = (tenant: Tenant, filter: WorkflowRunFilter, take: number): Promise<OpenRun[]> =>
  sql<OpenRun>(tenant.db, 'open-run.findMatchingRuns', { planForValues: true })`
    SELECT child.id, child.event_id AS "eventId" FROM ${found(tenant, filter)}
    ORDER BY child.event_id, child.id ${limitTo(take)}`

/** Counts runs that match a filter and are not over, up to a limit. */
export async function countMatchingRuns(tenant: Tenant, filter: WorkflowRunFilter, limit: number): Promise<number> {
  const [counted] = await sql<{ count: number }>(tenant.db, 'open-run.countMatchingRuns', { planForValues: true })`
    SELECT count(*)::int AS count FROM (SELECT child.id FROM ${found(tenant, filter)} ${limitTo(limit)}) AS open_run`
  return counted?.count ?? 0
}

const readOpen = ({ db, environmentId }: Tenant, ids: readonly string[]) => sql<OpenRun>(db, 'open-run.readOpen')`
  SELECT child.id, child.event_id AS "eventId" FROM workflow_runs AS child
  WHERE child.environment_id = ${environmentId}::uuid AND child.id = ANY (${[...ids]}::uuid[]) ${isOpen({ environmentId })}`

/** Runs that are not over, by id. Null for others. */
export const openRunsById = rowBatch<OpenRun>(readOpen, ({ id }) => id)

/** Returns the ids of those runs that are not over. */
export const stillOpen = async (tenant: Tenant, ids: readonly string[]): Promise<readonly string[]> =>
  (await readOpen(tenant, ids)).map(({ id }) => id)
