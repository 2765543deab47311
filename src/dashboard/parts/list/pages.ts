// The page of a list and its size, kept in the address, so that a reload and the back button keep them.
import { useAddressQuery } from './address-query.ts'

/** Rows per page to choose from. The graph returns at most 100. */
export const pageSizes = [20, 50, 100] as const
export type PageSize = (typeof pageSizes)[number]

export interface PageInfo {
  readonly startCursor: string | null
  readonly endCursor: string | null
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
}

/** The arguments of a connection. */
export type PageArguments =
  { readonly first: number; readonly after: string | null } | { readonly last: number; readonly before: string }

export interface Pages {
  readonly arguments: PageArguments
  readonly size: PageSize
  /** The sizes to choose from. */
  readonly sizes: readonly PageSize[]
  readonly isFirst: boolean
  readonly next: (info: PageInfo) => void
  readonly previous: (info: PageInfo) => void
  /** Changes the rows per page, and goes to the first page. */
  readonly resize: (size: PageSize) => void
}

/**
 * Returns the page in the address, and functions that change it.
 *
 * @param prefix tells lists on one page apart
 * @param sizes rows per page to choose from, of which the first is the default. Fewer for lists with large rows, so that
 *   no page has more than 3,000 elements
 */
export function usePages(prefix = '', sizes: readonly PageSize[] = pageSizes): Pages {
  const [query, change] = useAddressQuery()
  const names = { after: `${prefix}after`, before: `${prefix}before`, rows: `${prefix}rows` }
  const after = query.get(names.after)
  const before = query.get(names.before)
  const size = sizes.find((one) => String(one) === query.get(names.rows)) ?? pageSizes[0]

  const toFirst = (next: URLSearchParams) => {
    next.delete(names.after)
    next.delete(names.before)
  }
  const turn = (name: string, cursor: string | null) =>
    change((next) => {
      toFirst(next)
      if (cursor !== null) next.set(name, cursor)
    })

  return {
    arguments: before === null ? { first: size, after } : { last: size, before },
    size,
    sizes,
    isFirst: after === null && before === null,
    next: ({ endCursor }) => turn(names.after, endCursor),
    previous: ({ startCursor }) => turn(names.before, startCursor),
    resize: (rows) =>
      change((next) => {
        toFirst(next)
        if (rows === pageSizes[0]) next.delete(names.rows)
        else next.set(names.rows, String(rows))
      }),
  }
}
