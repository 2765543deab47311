// The query of the address, which keeps the filters and the page of a list.
import { type NavigateOptions, parsePath, useLocation, useNavigation, useSearchParams } from 'react-router'

type Change = (edit: (query: URLSearchParams) => void, options?: NavigateOptions) => void

/**
 * Returns the query, and what changes it.
 *
 * A change starts from the address as it is now. The function form of `setSearchParams` starts from the last rendering
 * instead: of two changes before the next rendering, it loses the first.
 */
export function useAddressQuery(): readonly [query: URLSearchParams, change: Change] {
  const [query, setQuery] = useSearchParams()
  const { pathname } = useLocation()
  const { location: coming } = useNavigation()
  const change: Change = (edit, options) => {
    // The path and the query are in the fragment (shell/routes.tsx).
    const address = parsePath(window.location.hash.slice(1))
    // Another page is coming, or is in the address already. A change of this one would call it off.
    if (address.pathname !== pathname || (coming && coming.pathname !== pathname)) return
    const next = new URLSearchParams(address.search)
    edit(next)
    setQuery(next, options)
  }
  return [query, change]
}
