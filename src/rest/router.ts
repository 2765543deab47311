// Finds the route of a request by its method and path.
import { TrieRouter } from 'hono/router/trie-router'
import { getPathNoStrict } from 'hono/utils/url'
import type { Route } from './route.ts'

/** The route for a request's path and method. */
export interface Match {
  readonly route: Route
  /** Decodes the parameters in the path. @throws URIError unless `assertEncoded` accepts the path. */
  readonly params: () => Readonly<Record<string, string>>
}

/** A known path that has no route for the method. */
export interface OtherMethods {
  /** The allowed methods. */
  readonly allow: string
}

const routePattern = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')

function allowedMethods(table: readonly Route[], path: string): string[] {
  const methods = table.filter((route) => route.path === path).map(({ method }) => method.toUpperCase())
  return [...(methods.includes('GET') ? ['HEAD'] : []), ...methods, 'OPTIONS'].sort()
}

const decode = (params: Readonly<Record<string, string | number>>): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(String(value))]))

interface OfPath extends OtherMethods {
  /** Values of the last path parameter that do not belong to this path (see `Route.reserved`). */
  readonly reserved: readonly string[]
}

/**
 * @returns a function that finds the route of a request, or the methods of its path. Undefined if the path is
 *   unknown.
 */
export function createRouter(table: readonly Route[]) {
  const router = new TrieRouter<Route | OfPath>()
  for (const route of table) router.add(route.method.toUpperCase(), routePattern(route.path), route)
  for (const path of new Set(table.map(({ path }) => path))) {
    const reserved = table.filter((route) => route.path === path).flatMap((route) => route.reserved ?? [])
    router.add('ALL', routePattern(path), { allow: allowedMethods(table, path).join(', '), reserved })
  }

  return (request: Request): Match | OtherMethods | undefined => {
    const path = getPathNoStrict(request)
    // HEAD matches the routes of GET. Its response has no body.
    const [found] = router.match(request.method === 'HEAD' ? 'GET' : request.method, path)
    for (const [target, params] of found) {
      if ('act' in target) return { route: target, params: () => decode(params) }
      if (!target.reserved.some((word) => path.endsWith(`/${word}`))) return target
    }
    return undefined
  }
}
