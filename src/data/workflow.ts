// Workflows: rows and pages.
import { environmentPages } from './page.ts'
import { Prisma, type Workflow } from './prisma/client.ts'
import { rowBy, type Table } from './row.ts'

const workflowTable: Table<Workflow> = {
  name: 'workflows',
  fields: Object.values(Prisma.WorkflowScalarFieldEnum),
}

export const workflowsById = rowBy(workflowTable, { field: 'id', type: 'uuid' })
export const workflowsByIdentifier = rowBy(workflowTable, { field: 'identifier' })

interface WorkflowFilter {
  /** Workflows that have all of these. Undefined matches everything. */
  readonly tags?: readonly string[]
}

export const workflowPages = environmentPages<Workflow, WorkflowFilter>({
  name: 'workflows',
  table: workflowTable,
  where: ({ tags }) => (tags === undefined ? Prisma.empty : Prisma.sql`AND child.tags @> ${[...tags]}::text[]`),
})
