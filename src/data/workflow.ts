// Workflows: rows and pages.
import { searchFor } from './reading/like-filter.ts'
import { environmentPages, equalTo } from './reading/page.ts'
import { Prisma, type Workflow } from './prisma/client.ts'
import type { Channel } from './prisma/enums.ts'
import type { Batch } from './reading/loader.ts'
import { rowBy } from './reading/row.ts'
import { sql } from './statement/statement.ts'
import type { Table } from './statement/table.ts'

const workflowTable: Table<Workflow> = {
  name: 'workflows',
  fields: Object.values(Prisma.WorkflowScalarFieldEnum),
}

export const workflowsById = rowBy(workflowTable, { field: 'id', type: 'uuid' })
export const workflowsByIdentifier = rowBy(workflowTable, { field: 'identifier' })

/** The maximum number of a digest's triggers that templates can read. */
export const MAX_DIGESTED = 100

/** Selects workflows. Undefined fields match everything. */
interface WorkflowFilter {
  /** Workflows that have all of these tags. */
  readonly tags?: readonly string[]
  readonly active?: boolean
  /** A part of the identifier or the name. If it is short, the beginning of one. */
  readonly search?: string
}

const searched = ['identifier', 'name']
const withActive = equalTo<Pick<WorkflowFilter, 'active'>>({ active: 'boolean' })
const withTags = (tags: readonly string[] | undefined) =>
  tags === undefined ? Prisma.empty : Prisma.sql`AND child.tags @> ${[...tags]}::text[]`

export const workflowPages = environmentPages<Workflow, WorkflowFilter>({
  name: 'workflows',
  table: workflowTable,
  texts: { name: 'child.name', identifier: 'child.identifier' },
  where: ({ search, tags, ...exact }) =>
    Prisma.sql`${withActive(exact)} ${withTags(tags)} ${searchFor(search, { substring: searched, prefix: searched })}`,
  planForValues: ({ search }) => search !== undefined,
})

/** The channels that the workflows of the environment use in active steps, as one batch with the key ''. */
export const channelsOfWorkflows: Batch<string, ReadonlySet<Channel>> = {
  async load({ db, environmentId }, keys) {
    const rows = await sql<{ readonly channel: Channel }>(db, 'workflow.channelsOfWorkflows')`
      SELECT DISTINCT channel::text AS channel
      FROM workflows CROSS JOIN LATERAL jsonb_array_elements(steps) AS step
      JOIN unnest(enum_range(NULL::"Channel")) AS channel ON channel::text = step ->> 'type'
      WHERE environment_id = ${environmentId}::uuid AND (step ->> 'active') IS DISTINCT FROM 'false'`
    const channels = new Set(rows.map(({ channel }) => channel))
    return keys.map(() => channels)
  },
}
