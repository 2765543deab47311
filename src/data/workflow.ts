// Workflows: rows and pages.
import { searchFor } from './reading/like-filter.ts'
import { environmentPages, equalTo, pagesBy } from './reading/page.ts'
import type { RowList } from './reading/row-list.ts'
import { Prisma, type Workflow } from './prisma/client.ts'
import type { Channel } from './prisma/enums.ts'
import type { Batch, Tenant } from './reading/loader.ts'
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
  /** Workflows that have at least one of these tags. */
  readonly anyTags?: readonly string[]
  /** Whether the current version is suspended. */
  readonly suspended?: boolean
  readonly active?: boolean
  readonly categoryKey?: readonly string[] | undefined
  /** A part of the identifier or the name. If it is short, the beginning of one. */
  readonly search?: string
}

const searched = ['identifier', 'name']
const withActive = equalTo<Pick<WorkflowFilter, 'active'>>({ active: 'boolean' })
const withTags = (tags: readonly string[] | undefined) =>
  tags === undefined ? Prisma.empty : Prisma.sql`AND child.tags @> ${[...tags]}::text[]`

const withAnyTags = (tags: readonly string[] | undefined) =>
  tags === undefined ? Prisma.empty : Prisma.sql`AND child.tags && ${[...tags]}::text[]`

const withSuspension = ({ environmentId }: Tenant, suspended: boolean | undefined) =>
  suspended === undefined
    ? Prisma.empty
    : Prisma.sql`AND ${suspended}::boolean = EXISTS (
        SELECT FROM workflow_suspensions AS suspension
        WHERE suspension.environment_id = ${environmentId}::uuid AND suspension.workflow_id = child.id
          AND suspension.version = child.updated_at AND suspension.suspended_at IS NOT NULL)`

/** The condition that a workflow has one of these categories, with a leading AND. */
const withCategory = ({ environmentId }: Tenant, keys: readonly string[] | undefined) =>
  keys === undefined
    ? Prisma.empty
    : Prisma.sql`AND child.category_id = ANY (ARRAY(
        SELECT id FROM categories WHERE environment_id = ${environmentId}::uuid AND key = ANY (${[...keys]}::text[])))`

const list: RowList<Workflow, WorkflowFilter> = {
  name: 'workflows',
  table: workflowTable,
  texts: { name: 'child.name', identifier: 'child.identifier' },
  where: ({ search, tags, anyTags, active }) =>
    Prisma.sql`${withActive({ active })} ${withTags(tags)} ${withAnyTags(anyTags)} ${searchFor(search, { substring: searched, prefix: searched })}`,
  branches: ({ categoryKey, suspended }, tenant) => [
    {
      from: Prisma.sql`"workflows" AS child`,
      where: Prisma.sql`${withCategory(tenant, categoryKey)} ${withSuspension(tenant, suspended)}`,
    },
  ],
  planForValues: ({ search }) => search !== undefined,
}

export const workflowPages = environmentPages<Workflow, WorkflowFilter>(list)

/** Pages of the workflows of categories, by category id. */
export const workflowsByCategory = pagesBy<Workflow, WorkflowFilter>(list, { field: 'categoryId', type: 'uuid' })

/** The distinct tags of the environment's workflows, in code point order. */
export async function tagsOfWorkflows({ db, environmentId }: Tenant): Promise<string[]> {
  const rows = await sql<{ readonly tag: string }>(db, 'workflow.tagsOfWorkflows')`
    SELECT tag FROM workflows CROSS JOIN LATERAL unnest(tags) AS tag
    WHERE environment_id = ${environmentId}::uuid
    GROUP BY tag ORDER BY tag COLLATE "C"`
  return rows.map(({ tag }) => tag)
}

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
