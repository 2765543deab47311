// The page of a list, kept in the address, so that a reload and the back button keep it.
import { useAddressQuery } from './address-query.ts'

/** Rows per page. */
const PAGE_SIZE = 20

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
  readonly isFirst: boolean
  readonly next: (info: PageInfo) => void
  readonly previous: (info: PageInfo) => void
}

/**
 * Returns the page in the address, and functions that change it.
 *
 * @param prefix tells lists on one page apart
 */
export function usePages(prefix = ''): Pages {
  const [query, change] = useAddressQuery()
  const names = { after: `${prefix}after`, before: `${prefix}before` }
  const after = query.get(names.after)
  const before = query.get(names.before)

  const turn = (name: string, cursor: string | null) =>
    change((next) => {
      next.delete(names.after)
      next.delete(names.before)
      if (cursor !== null) next.set(name, cursor)
    })

  return {
    arguments: before === null ? { first: PAGE_SIZE, after } : { last: PAGE_SIZE, before },
    isFirst: after === null && before === null,
    next: ({ endCursor }) => turn(names.after, endCursor),
    previous: ({ startCursor }) => turn(names.before, startCursor),
  }
}
