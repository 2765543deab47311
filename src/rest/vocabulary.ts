// A vocabulary: the routes and errors under which one kind of client calls the resolvers.
import type { z } from 'zod'
import type { Refusal } from '../lib/errors.ts'
import { type Route, routeName } from './route.ts'

/** How errors of a vocabulary differ from those of the documented paths. */
export interface ErrorConventions {
  /** Returns the error for a path or method without a route. Default: 404, or 405 with the allowed methods. */
  readonly refuseOther?: (method: string, path: string) => Refusal
  /** Returns the error that clients handle in the intended way. Default: the same error. */
  readonly convert?: (refusal: Refusal) => Refusal
}

export interface Vocabulary extends ErrorConventions {
  /** The first part of all paths, such as `/novu`. */
  readonly prefix: `/${string}`
  /** The routes. Their paths include the prefix. */
  readonly table: readonly Route[]
}

/** Returns routes of the documented paths, by their names, with their paths below a prefix. */
export function reuse(prefix: `/${string}`, routes: readonly Route[], names: readonly string[]): Route[] {
  return names.map((name) => {
    const found = routes.find((route) => route.name === name)
    if (found === undefined) throw new Error(`there is no route ${name}`)
    const path = `${prefix}${found.path}` as const
    return { ...found, path, name: routeName(found.method, path) }
  })
}

/** Returns a route whose successful responses have another form. @param change converts the body of a response. */
export const withView = (route: Route, response: z.ZodType, change: (body: unknown) => unknown): Route => ({
  ...route,
  response,
  async act(scope, request) {
    const { body, ...result } = await route.act(scope, request)
    return { ...result, body: change(body) }
  },
})
