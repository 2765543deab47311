// One filter of a list, kept in the address. A new value starts at the first page.
import { useSearchParams } from 'react-router'

/** Returns the value, empty when there is none, and what sets it. */
export function useFilter(name: string): readonly [value: string, set: (value: string | null) => void] {
  const [search, setSearch] = useSearchParams()
  const set = (value: string | null) =>
    setSearch(
      (current) => {
        const next = new URLSearchParams(current)
        next.delete('after')
        next.delete('before')
        if (value === null || value === '') next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true },
    )
  return [search.get(name) ?? '', set]
}
