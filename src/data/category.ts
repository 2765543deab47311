// Categories: rows and pages.
import { searchFor } from './reading/like-filter.ts'
import { environmentPages, equalTo } from './reading/page.ts'
import { Prisma, type Category } from './prisma/client.ts'
import type { Channel } from './prisma/enums.ts'
import { type Batch, groupBatch, type Tenant } from './reading/loader.ts'
import { rowBy } from './reading/row.ts'
import { sql, sqlCount } from './statement/statement.ts'
import type { Table } from './statement/table.ts'

const categoryTable: Table<Category> = {
  name: 'categories',
  fields: Object.values(Prisma.CategoryScalarFieldEnum),
}

export const categoriesById = rowBy(categoryTable, { field: 'id', type: 'uuid' })
export const categoriesByKey = rowBy(categoryTable, { field: 'key' })

/** Selects categories. Undefined fields match everything. */
interface CategoryFilter {
  readonly isHidden?: boolean
  /** A part of the key or the name. If it is short, the beginning of one. */
  readonly search?: string
}

const searched = ['key', 'name']
const withHidden = equalTo<Pick<CategoryFilter, 'isHidden'>>({ isHidden: 'boolean' })

export const categoryPages = environmentPages<Category, CategoryFilter>({
  name: 'categories',
  table: categoryTable,
  // A position as a text, which sorts like the number.
  texts: { name: 'child.name', identifier: 'child.key', position: `lpad(child.position::text, 4, '0')` },
  where: ({ search, ...exact }) =>
    Prisma.sql`${withHidden(exact)} ${searchFor(search, { substring: searched, prefix: searched })}`,
})

/** The categories of the environment in their order, as one batch with the key ''. */
export const allCategories: Batch<string, readonly Category[]> = {
  async load({ db, environmentId }, keys) {
    const rows = await db.category.findMany({ where: { environmentId }, orderBy: [{ position: 'asc' }, { id: 'asc' }] })
    return keys.map(() => rows)
  },
}

/** The channels that the workflows of categories use in active steps, by category id. */
export const channelsOfCategories: Batch<
  string,
  readonly { readonly categoryId: string; readonly channel: Channel }[]
> = groupBatch(
  ({ db, environmentId }, ids) =>
    sql<{ readonly categoryId: string; readonly channel: Channel }>(db, 'category.channelsOfCategories')`
        SELECT DISTINCT workflow.category_id AS "categoryId", channel::text AS channel
        FROM workflows AS workflow CROSS JOIN LATERAL jsonb_array_elements(workflow.steps) AS step
        JOIN unnest(enum_range(NULL::"Channel")) AS channel ON channel::text = step ->> 'type'
        WHERE workflow.environment_id = ${environmentId}::uuid AND workflow.category_id = ANY (${ids}::uuid[])
          AND (step ->> 'active') IS DISTINCT FROM 'false'`,
  ({ categoryId }) => categoryId,
)

/** The category ids of workflows, by workflow id. Workflows without a category are left out. */
export async function categoryIdsOf(
  { db, environmentId }: Tenant,
  workflowIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (workflowIds.length === 0) return new Map()
  const rows = await sql<{ readonly id: string; readonly categoryId: string }>(db, 'category.categoryIdsOf')`
    SELECT id, category_id AS "categoryId" FROM workflows
    WHERE environment_id = ${environmentId}::uuid AND id = ANY (${[...workflowIds]}::uuid[])
      AND category_id IS NOT NULL`
  return new Map(rows.map(({ id, categoryId }) => [id, categoryId]))
}

/** Returns true if a workflow has this category. */
export async function isCategoryUsed({ db, environmentId }: Tenant, id: string): Promise<boolean> {
  const rows = await sql<unknown>(db, 'category.isCategoryUsed')`
    SELECT 1 FROM workflows WHERE environment_id = ${environmentId}::uuid AND category_id = ${id}::uuid LIMIT 1`
  return rows.length > 0
}

/** Writes the positions of categories: the indexes of their ids. Those that have it already are not written. */
export async function writePositions({ db, environmentId }: Tenant, ids: readonly string[], now: Date): Promise<void> {
  await sqlCount(db, 'category.writePositions')`
    WITH held AS MATERIALIZED (
      SELECT category.id, (given.place - 1)::int AS position
      FROM unnest(${[...ids]}::uuid[]) WITH ORDINALITY AS given(id, place)
      JOIN categories AS category ON category.environment_id = ${environmentId}::uuid AND category.id = given.id
      ORDER BY category.id FOR NO KEY UPDATE OF category
    )
    UPDATE categories AS category SET position = held.position, updated_at = ${now}::timestamptz FROM held
    WHERE category.environment_id = ${environmentId}::uuid AND category.id = held.id
      AND category.position <> held.position`
}
