// The router of the environment that is open. The sign-in page asks about it without loading the router's code.
import type { createHashRouter } from 'react-router'

export type Router = ReturnType<typeof createHashRouter>

let current: { readonly slug: string; readonly router: Router } | undefined

/** Returns the router of an environment, which replaces that of another one. */
export function currentRouter(slug: string, create: () => Router): Router {
  if (current?.slug !== slug) {
    current?.router.dispose()
    current = { slug, router: create() }
  }
  return current.router
}

/** True if a page with unsaved changes asks whether to leave it. The address goes back to that page until then. */
export const isAskingToLeave = (): boolean =>
  [...(current?.router.state.blockers.values() ?? [])].some(({ state }) => state === 'blocked')

/** Returns the slug of the environment whose router is open, if there is one. */
export const slugOfRouter = (): string | undefined => current?.slug

/** True if the page may ask before it is left. */
export const hasGuard = (): boolean => (current?.router.state.blockers.size ?? 0) > 0
