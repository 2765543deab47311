// Reads whole lists, page by page, and the contexts of their rows.
import type { Scope } from '../../domain/resolver/scope.ts'
import { MAX_PAGE_SIZE, type Page, type PageRequest } from '../../lib/page.ts'

/** Yields the pages of a list, each from a statement of its own. Memory use does not depend on their number. */
export async function* pagesOf<Row>(
  { forget }: Pick<Scope, 'forget'>,
  read: (page: PageRequest) => Promise<Page<Row>>,
): AsyncGenerator<readonly Row[]> {
  let after: string | null = null
  for (;;) {
    const page: Page<Row> = await read({ first: MAX_PAGE_SIZE, after })
    if (page.rows.length > 0) yield page.rows
    forget()
    if (!page.hasNext) return
    after = page.cursorAt(page.rows.length - 1)
  }
}

/** Returns the rows of a short list. */
export async function allRows<Row>(
  scope: Pick<Scope, 'forget'>,
  read: (page: PageRequest) => Promise<Page<Row>>,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  for await (const page of pagesOf(scope, read)) rows.push(...page)
  return rows
}

/** Converts the context keys of a row to the input of a write: `tenant:acme` becomes `{ tenant: 'acme' }`. */
export const asContext = (contextKeys: readonly string[]) =>
  Object.fromEntries(contextKeys.map((key) => [key.slice(0, key.indexOf(':')), key.slice(key.indexOf(':') + 1)]))
