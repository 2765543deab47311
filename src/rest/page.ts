// Cursor pages at this door: query parameters in, `{data, next, previous, totalCount, totalCountCapped}` out.
import { z } from 'zod'
import { Refusal } from '../lib/errors.ts'
import { MAX_COUNT, MAX_PAGE_SIZE, type OrderField, type Page, type PageRequest } from '../lib/page.ts'
import { flag } from './views.ts'

/** Without `limit` a page has this many items (CALLERS asks for fewer here than the graph gives). */
const DEFAULT_LIMIT = 10

const orderNames = {
  createdAt: 'createdAt',
  updatedAt: 'updatedAt',
  // Ids are made in the order of time.
  _id: 'createdAt',
} as const satisfies Record<string, OrderField>

/** The query parameters of a list that has one order. */
export const cursorQuery = z.object({
  after: z.string().optional().meta({ description: 'Cursor: only what comes after this point.' }),
  before: z
    .string()
    .optional()
    .meta({ description: 'Cursor: only what comes before this point. Not together with `after`.' }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_PAGE_SIZE)
    .default(DEFAULT_LIMIT)
    .meta({ description: `Page size, at most ${MAX_PAGE_SIZE}.` }),
  includeCursor: flag.optional().meta({ description: 'Whether the item at the cursor is part of the page.' }),
})

/** The query parameters of a list that can be ordered. */
export const pageQuery = cursorQuery.extend({
  orderDirection: z.enum(['ASC', 'DESC']).default('DESC').meta({ description: 'Which end comes first.' }),
  orderBy: z
    .enum(['createdAt', 'updatedAt', '_id'])
    .default('createdAt')
    .meta({ description: 'Field to order by. `_id` is the order of creation.' }),
})

/** The page that a query asks for. @throws Refusal `MALFORMED` when it has both cursors. */
export function pageOfCursors({ after, before, limit, includeCursor }: z.output<typeof cursorQuery>): PageRequest {
  if (after !== undefined && before !== undefined) {
    throw new Refusal('MALFORMED', 'after and before must not be given together')
  }
  return before === undefined ? { first: limit, after, includeCursor } : { last: limit, before, includeCursor }
}

/** The page and the order that a query asks for. @throws as `pageOfCursors` */
export function pageOfQuery({ orderBy, orderDirection, ...cursors }: z.output<typeof pageQuery>) {
  return {
    page: pageOfCursors(cursors),
    orderBy: { field: orderNames[orderBy], direction: orderDirection === 'ASC' ? 'asc' : 'desc' } as const,
  }
}

/** The schema of a page of these items. */
export function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item).meta({ description: 'The items of the page.' }),
    next: z.string().nullable().meta({ description: 'Cursor for the next page; null when there is none.' }),
    previous: z.string().nullable().meta({ description: 'Cursor for the previous page; null on the first.' }),
    totalCount: z
      .number()
      .int()
      .meta({ description: `How many there are in all, capped at ${MAX_COUNT}.` }),
    totalCountCapped: z.boolean().meta({ description: `Whether there are more than ${MAX_COUNT}.` }),
  })
}

/** A page in the shape of `pageSchema`. */
export async function showPage<Row, Item>(page: Page<Row>, show: (row: Row) => Item | Promise<Item>) {
  const { rows, cursorOf } = page
  const [data, hasNext, hasPrevious, total] = await Promise.all([
    Promise.all(rows.map(show)),
    page.hasNext(),
    page.hasPrevious(),
    page.total(),
  ])
  const [first, last] = [rows[0], rows.at(-1)]
  return {
    data,
    next: hasNext && last !== undefined ? cursorOf(last) : null,
    previous: hasPrevious && first !== undefined ? cursorOf(first) : null,
    totalCount: total.count,
    totalCountCapped: total.capped,
  }
}
