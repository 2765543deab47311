// The query of the address, which keeps the filters and the page of a list.
import { type NavigateOptions, parsePath, useLocation, useSearchParams } from 'react-router'

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
  const change: Change = (edit, options) => {
    // The path and the query are in the fragment (shell/routes.tsx).
    const address = parsePath(window.location.hash.slice(1))
    // The address names the next page, which is still loading: its query is not for this one to change.
    if (address.pathname !== pathname) return
    const next = new URLSearchParams(address.search)
    edit(next)
    setQuery(next, options)
  }
  return [query, change]
}
