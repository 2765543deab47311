// Reads lists to their end, page by page.
import { MAX_PAGE_SIZE, type Page, type PageRequest } from '../lib/page.ts'

/** Yields the pages of a list, each in its own statement. */
async function* pagesOf<Row>(read: (page: PageRequest) => Promise<Page<Row>>): AsyncGenerator<readonly Row[]> {
  let after: string | null = null
  for (;;) {
    const page: Page<Row> = await read({ first: MAX_PAGE_SIZE, after })
    if (page.rows.length > 0) yield page.rows
    if (!page.hasNext) return
    after = page.cursorAt(page.rows.length - 1)
  }
}

/** Returns the rows of a short list. */
export async function allRows<Row>(read: (page: PageRequest) => Promise<Page<Row>>): Promise<readonly Row[]> {
  const rows: Row[] = []
  for await (const page of pagesOf(read)) rows.push(...page)
  return rows
}
