// Pauses: what is paused in each environment, by whom and since when.
import { inOrganizationOf } from './access/environment.ts'
import { type Batch, groupBatch, rowBatch, type Tenant } from './reading/loader.ts'
import { type Pause as Row, Prisma } from './prisma/client.ts'
import { selectList, type Table } from './statement/table.ts'
import { sql } from './statement/statement.ts'

/** A pause. If a workflow is paused, it includes the workflow's identifier. */
export interface Pause extends Row {
  readonly workflowIdentifier: string | null
}

const pauseTable: Table<Row> = { name: 'pauses', fields: Object.values(Prisma.PauseScalarFieldEnum) }

const fields = Prisma.sql`${selectList(pauseTable, 'pause')}, workflow.identifier AS "workflowIdentifier"`
const withWorkflow = ({ environmentId }: Tenant) => Prisma.sql`
  pauses AS pause
  LEFT JOIN workflows AS workflow
    ON workflow.environment_id = ${environmentId}::uuid AND workflow.id = pause.workflow_id`

/** The pauses of the tenant's environment, oldest first. The key is the environment's id. */
export const pausesHere: Batch<string, readonly Pause[]> = groupBatch(
  (tenant) =>
    sql<Pause>(tenant.db, 'pause.pausesHere')`
      SELECT ${fields} FROM ${withWorkflow(tenant)}
      WHERE pause.environment_id = ${tenant.environmentId}::uuid ORDER BY pause.paused_at, pause.target_id`,
  ({ environmentId }) => environmentId,
)

/** The pauses of environments of the tenant's organization, by the environment's id. */
export const environmentPauses: Batch<string, Row | null> = rowBatch<Row>(
  ({ db, environmentId }, ids) =>
    sql<Row>(db, 'pause.environmentPauses')`
      SELECT ${selectList(pauseTable, 'pause')} FROM pauses AS pause
      JOIN environments AS environment ON environment.id = pause.environment_id
      WHERE pause.target_id = pause.environment_id AND pause.environment_id = ANY (${[...ids]}::uuid[])
        AND environment.${inOrganizationOf(environmentId)}`,
  ({ environmentId }) => environmentId,
)

/** A pause to insert. If an environment is paused, it has neither an integration nor a workflow. */
export type NewPause = Prisma.PauseCreateManyInput

/** Inserts a pause, unless its target is paused already. @returns true if it was inserted. */
export async function insertPause({ db }: Pick<Tenant, 'db'>, pause: NewPause): Promise<boolean> {
  const { count } = await db.pause.createMany({ data: [pause], skipDuplicates: true })
  return count > 0
}

/**
 * Deletes the pause of a target. Waits for statements that are holding jobs for the target. @returns false if there is
 * none.
 */
export async function deletePause({ db, environmentId }: Tenant, targetId: string): Promise<boolean> {
  const { count } = await db.pause.deleteMany({ where: { environmentId, targetId } })
  return count > 0
}
