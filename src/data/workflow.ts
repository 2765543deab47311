// Workflows: pages.
import { environmentPageBatch } from './child-page.ts'
import { Prisma, type Workflow } from './prisma/client.ts'

interface WorkflowFilter {
  /** Workflows that have all of these. Undefined matches everything. */
  readonly tags?: readonly string[]
}

export const workflowPages = environmentPageBatch<Workflow, WorkflowFilter>({
  name: 'workflows',
  fields: Object.values(Prisma.WorkflowScalarFieldEnum),
  where: ({ tags }) => (tags === undefined ? Prisma.empty : Prisma.sql`AND child.tags @> ${[...tags]}::text[]`),
})
