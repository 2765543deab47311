// The address of a page: `#/<slug of the environment>/<path of the page>`.

/** A slug ends with six characters of the environment's id, which no page is called. */
const SLUG = /^(?:[a-z0-9-]+-)?[0-9a-f]{6}$/

const pathNow = () => window.location.hash.slice(1)

/** Returns the slug of the environment that the address names. Undefined if it names none, as in earlier releases. */
export function environmentInAddress(): string | undefined {
  const [first = ''] = pathNow().replace(/^\//, '').split(/[/?]/, 1)
  return SLUG.test(first) ? first : undefined
}

/** True if the address names Home, without a range or another choice. */
export const isHomeInAddress = (): boolean =>
  ['', '/'].includes(pathNow().slice(`/${environmentInAddress() ?? ''}`.length))

/** @param path the path of a page, or empty for the first page of the environment. */
export const addressOf = (slug: string, path: string): string => `#/${slug}${path}`

/** Keeps the state of the history, in which the router counts its entries, and reports the change as browsers do. */
function replaceAddress(address: string): void {
  window.history.replaceState(window.history.state, '', address)
  window.dispatchEvent(new PopStateEvent('popstate'))
  window.dispatchEvent(new HashChangeEvent('hashchange'))
}

/** Opens a page of an environment in place of the current page. */
export const openAddress = (slug: string, path: string): void => replaceAddress(addressOf(slug, path))

/** Opens the current page in an environment, if the address names none. */
export function completeAddress(slug: string): void {
  openAddress(slug, pathNow())
}

/** Removes the environment from the address. The next session opens the page in its own environment. */
export function forgetEnvironmentInAddress(): void {
  const slug = environmentInAddress()
  if (slug !== undefined) replaceAddress(`#${pathNow().slice(slug.length + 1)}`)
}
