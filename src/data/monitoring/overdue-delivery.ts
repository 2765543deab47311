// Messages that were not sent in time.
import { deliveryTable } from '../delivery.ts'
import type { Delivery } from '../prisma/client.ts'
import type { Tenant } from '../reading/loader.ts'
import { sql } from '../statement/statement.ts'
import { selectList } from '../statement/table.ts'

/** A step of runs of one event. */
export interface OverdueStep {
  readonly runIds: readonly string[]
  readonly position: number
}

/**
 * Locks the runs in which the step still sends, in the order of their ids. @returns its messages that are overdue.
 */
export async function holdOverdue(
  { db, environmentId }: Tenant,
  { runIds, position }: OverdueStep,
  now: Date,
): Promise<readonly Delivery[]> {
  const held = await sql<{ stepRunId: string }>(db, 'overdue-delivery.holdOverdue', { planForValues: true })`
    SELECT step.id AS "stepRunId" FROM workflow_runs AS run
    JOIN step_runs AS step ON step.environment_id = ${environmentId}::uuid AND step.run_id = run.id
    WHERE run.environment_id = ${environmentId}::uuid AND run.id = ANY (${[...runIds]}::uuid[])
      AND step.position = ${position} AND step.status = 'sending'
    ORDER BY run.id FOR UPDATE OF run`
  if (held.length === 0) return []
  return sql<Delivery>(db, 'overdue-delivery.holdOverdue', { planForValues: true })`
    SELECT ${selectList(deliveryTable, 'delivery')} FROM deliveries AS delivery
    WHERE delivery.environment_id = ${environmentId}::uuid
      AND delivery.step_run_id = ANY (${held.map(({ stepRunId }) => stepRunId)}::uuid[])
      AND delivery.status = 'pending' AND least(expires_at, time_limit_at) <= ${now}::timestamptz
    ORDER BY delivery.id`
}
