// Numbered pages, the first of which is 0.
import { z } from 'zod'
import { MAX_PAGE_SIZE, MAX_SKIP, type Page } from '../../../../lib/page.ts'

/** Query parameters of a numbered page. */
export const numberedQuery = z.object({
  page: z.coerce.number().int().min(0).max(MAX_SKIP).default(0).meta({ description: 'Number of the page, from 0.' }),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE_SIZE).default(10).meta({ description: 'Page size.' }),
})
type Numbered = z.output<typeof numberedQuery>

/** Returns the page of a resolver. @throws Refusal through the resolver if it would skip too many rows. */
export const numberedPage = ({ page, limit }: Numbered) => ({ first: limit, skip: page * limit })

/** Returns the schema of a numbered page. */
export const numberedSchema = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item),
    hasMore: z.boolean().meta({ description: 'True if there are items after the page.' }),
    page: z.int().meta({ description: 'Number of the page, from 0.' }),
    pageSize: z.int().meta({ description: 'Maximum number of items of the page.' }),
  })

export async function showNumbered<Row, Item>(
  { rows, hasNext }: Pick<Page<Row>, 'rows' | 'hasNext'>,
  { page, limit }: Numbered,
  show: (row: Row) => Promise<Item>,
) {
  return { data: await Promise.all(rows.map(show)), hasMore: hasNext, page, pageSize: limit }
}
