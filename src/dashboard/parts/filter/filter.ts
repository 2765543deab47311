// One filter of a list, kept in the address. A new value starts at the first page.
import { useAddressQuery } from '../list/address-query.ts'

/** Returns the value, which is empty without a filter, and a function that sets it. */
export function useFilter(name: string): readonly [value: string, set: (value: string | null) => void] {
  const [query, change] = useAddressQuery()
  const set = (value: string | null) =>
    change(
      (next) => {
        next.delete('after')
        next.delete('before')
        if (value === null || value === '') next.delete(name)
        else next.set(name, value)
      },
      { replace: true },
    )
  return [query.get(name) ?? '', set]
}

/** Returns the value for the graph, or null if there is none. */
export function useFilterValue(name: string): string | null {
  const [value] = useFilter(name)
  return value === '' ? null : value
}

/** Returns true if a condition of the filter has a value. */
export const isFiltered = (filter: object): boolean =>
  Object.values(filter).some((value) => value !== null && value !== undefined)
