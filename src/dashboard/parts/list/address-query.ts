// The query of the address, which contains the filters and the page of a list.
import { useContext } from 'react'
import { type NavigateOptions, parsePath, useHref, useLocation, useSearchParams } from 'react-router'
import { ComingPage } from './coming-page.ts'

type Change = (edit: (query: URLSearchParams) => void, options?: NavigateOptions) => void

/**
 * Returns the query, and a function that changes it.
 *
 * A change starts from the address as it is now. The function form of `setSearchParams` starts from the last rendering
 * instead, so it would lose the first of two changes before the next rendering.
 */
export function useAddressQuery(): readonly [query: URLSearchParams, change: Change] {
  const [query, setQuery] = useSearchParams()
  const href = useHref(useLocation().pathname)
  const comingPage = useContext(ComingPage)
  const change: Change = (edit, options) => {
    // The path and the query are in the fragment (shell/routes.tsx).
    const address = parsePath(window.location.hash.slice(1))
    // Another page is loading, or is in the address already. A change here would cancel that navigation.
    if (`#${comingPage() ?? address.pathname}` !== href) return
    const next = new URLSearchParams(address.search)
    edit(next)
    setQuery(next, options)
  }
  return [query, change]
}
