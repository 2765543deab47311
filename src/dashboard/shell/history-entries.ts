// Prepares the entries of the browser's history that the router did not create, such as a typed address or a plain link.
// Without a number, the router cannot return from such an entry, so it would neither ask before changes are lost nor
// be silent about it. Without the environment of the router, an address is none of its pages, and it would warn of that.
import { addressOf, environmentInAddress } from '../session/address.ts'
import { hasGuard, slugOfRouter } from './current-router.ts'

/** The router's own name for the number of an entry. */
const NUMBER = 'idx'

const stateNow = (): object => Object(window.history.state) as object

const numberNow = (): number | undefined => {
  const found: unknown = Reflect.get(stateNow(), NUMBER)
  return typeof found === 'number' ? found : undefined
}

let last = numberNow() ?? 0

/** Call after each navigation of the router. */
export function noteEntry(): void {
  last = numberNow() ?? last
}

/**
 * Adds the environment to an address of an earlier release.
 *
 * @returns false if another environment opens, or the address is a sign-in link.
 */
function isForRouter(isTrusted: boolean): boolean {
  const slug = slugOfRouter()
  const addressed = environmentInAddress()
  if (slug === undefined || addressed === slug) return true
  const isPage = /^(#(\/|$)|$)/.test(window.location.hash)
  if (addressed !== undefined || !isTrusted || !isPage) return hasGuard()
  window.history.replaceState(window.history.state, '', addressOf(slug, window.location.hash.slice(1)))
  return true
}

/** Call before the first router is created, because the router reads the entry when the browser reports it. */
export function prepareEntries(): void {
  window.addEventListener('popstate', (event) => {
    // A new entry is always the one after the present one.
    if (numberNow() === undefined) window.history.replaceState({ ...stateNow(), [NUMBER]: last + 1 }, '')
    noteEntry()
    if (!isForRouter(event.isTrusted)) event.stopImmediatePropagation()
  })
}
