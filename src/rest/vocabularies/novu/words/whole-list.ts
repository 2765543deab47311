// Lists that the client reads as one array, without pages.
import { MAX_PAGE_SIZE, type Page, type PageRequest } from '../../../../lib/page.ts'

/** The first page of a list that is read as a whole. */
export const firstPage = { first: MAX_PAGE_SIZE } satisfies PageRequest

/** Returns the rows of a page and of all pages after it. @param read reads the page after a cursor. */
export async function rowsOfAllPages<Row>(
  page: Page<Row>,
  read: (page: PageRequest) => Promise<Page<Row>>,
): Promise<readonly Row[]> {
  const rows = [...page.rows]
  for (let last = page; last.hasNext && last.rows.length > 0;) {
    last = await read({ ...firstPage, after: last.cursorAt(last.rows.length - 1) })
    rows.push(...last.rows)
  }
  return rows
}
