// Runs of many events at once.
import { childPageBatch } from './child-page.ts'
import { Prisma, type WorkflowRun } from './prisma/client.ts'
import type { RunStatus } from './prisma/enums.ts'

export interface WorkflowRunFilter {
  readonly status?: RunStatus
}

export const runsByEvent = childPageBatch<WorkflowRun, WorkflowRunFilter>({
  name: 'workflowRuns',
  table: 'workflow_runs',
  parentColumn: 'event_id',
  parentType: 'uuid',
  fields: Object.values(Prisma.WorkflowRunScalarFieldEnum),
  where: ({ status }) => (status === undefined ? Prisma.empty : Prisma.sql`AND child.status = ${status}::"RunStatus"`),
})
