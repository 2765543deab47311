// Cursor pages: query parameters in, `{ data, next, previous, totalCount, totalCountCapped }` out.
import { z } from 'zod'
import type { DoorScope } from '../domain/resolver/door-scope.ts'
import type { OrderField } from '../lib/cursor.ts'
import { Refusal } from '../lib/errors.ts'
import { MAX_COUNT, MAX_PAGE_SIZE, type Page, type PageRequest } from '../lib/page.ts'
import { flag } from './views.ts'

/** Default page size. Lower than in GraphQL (CALLERS). */
const DEFAULT_LIMIT = 10

const orderNames = {
  createdAt: 'createdAt',
  updatedAt: 'updatedAt',
  // Ids are generated in chronological order.
  _id: 'createdAt',
} as const satisfies Record<string, OrderField>

/** Query parameters of a list with a fixed order. */
export const cursorQuery = z.object({
  after: z.string().optional().meta({ description: 'Cursor. Returns the items after the cursor.' }),
  before: z
    .string()
    .optional()
    .meta({ description: 'Cursor. Returns the items before the cursor. Cannot be combined with `after`.' }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_PAGE_SIZE)
    .default(DEFAULT_LIMIT)
    .meta({ description: `Page size, at most ${MAX_PAGE_SIZE}.` }),
  includeCursor: flag.optional().meta({ description: 'True to include the item at the cursor. Default: false.' }),
})

/** Query parameters of a list with a choice of orders. */
export const pageQuery = cursorQuery.extend({
  orderDirection: z.enum(['ASC', 'DESC']).default('DESC').meta({ description: 'Sort direction.' }),
  orderBy: z
    .enum(['createdAt', 'updatedAt', '_id'])
    .default('createdAt')
    .meta({ description: 'Field to sort by. `_id` sorts by creation time.' }),
})

/** Returns the requested page. @throws Refusal `MALFORMED` if both cursors are given. */
export function pageOfCursors({ after, before, limit, includeCursor }: z.output<typeof cursorQuery>): PageRequest {
  if (after !== undefined && before !== undefined) {
    throw new Refusal('MALFORMED', 'after and before must not be given together')
  }
  return before === undefined ? { first: limit, after, includeCursor } : { last: limit, before, includeCursor }
}

/** Returns the requested page and order. @throws as `pageOfCursors` */
export function pageOfQuery({ orderBy, orderDirection, ...cursors }: z.output<typeof pageQuery>) {
  return {
    page: pageOfCursors(cursors),
    orderBy: { field: orderNames[orderBy], direction: orderDirection === 'ASC' ? 'asc' : 'desc' } as const,
  }
}

/** Returns the schema of a page of items. */
export function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item).meta({ description: 'Items of the page.' }),
    next: z.string().nullable().meta({ description: 'Cursor of the next page. Null on the last page.' }),
    previous: z.string().nullable().meta({ description: 'Cursor of the previous page. Null on the first page.' }),
    totalCount: z
      .number()
      .int()
      .meta({ description: `Total number of items, at most ${MAX_COUNT}.` }),
    totalCountCapped: z.boolean().meta({ description: `True if there are more than ${MAX_COUNT} items.` }),
  })
}

/**
 * Returns a page in the shape of `pageSchema`. Every REST page includes the total, so the count is kept for the next
 * page.
 */
export async function showPage<Row, Item>(scope: DoorScope, page: Page<Row>, show: (row: Row) => Item | Promise<Item>) {
  const { rows, hasNext, hasPrevious, cursorAt, total: count, countKey } = page
  const [data, total] = await Promise.all([
    Promise.all(rows.map(show)),
    countKey === undefined ? count() : scope.count(countKey, count),
  ])
  return {
    data,
    next: hasNext && rows.length > 0 ? cursorAt(rows.length - 1) : null,
    previous: hasPrevious && rows.length > 0 ? cursorAt(0) : null,
    totalCount: total.count,
    totalCountCapped: total.capped,
  }
}
