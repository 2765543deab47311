// A vocabulary: the routes and errors under which one kind of client calls the resolvers.
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Gateway } from '../domain/resolver/scope.ts'
import type { RateLimiter } from '../http/rate-limit.ts'
import type { SocketLimits } from '../http/socket-limits.ts'
import type { Upgrade } from '../http/web-socket.ts'
import type { Refusal } from '../lib/errors.ts'
import { type Route, routeName } from './route.ts'

/** How errors of a vocabulary differ from those of the documented paths. */
export interface ErrorConventions {
  /** Returns the error for a path or method without a route. Default: 404, or 405 with the allowed methods. */
  readonly refuseOther?: (method: string, path: string) => Refusal
  /** Returns the error that clients handle in the intended way. Default: the same error. */
  readonly convert?: (refusal: Refusal) => Refusal
  /**
   * True if all errors of a path are JSON. Default: 429 and 503 are plain text (SPEC: Errors).
   *
   * @param path as in the URL, with the prefix.
   */
  readonly hasJsonErrors?: (path: string) => boolean
}

/** What the WebSockets of a vocabulary share with those of the graph. */
export interface UpgradeOptions {
  readonly gateway: Gateway
  readonly logger: Logger
  readonly rateLimiter: RateLimiter
  readonly socketLimits: SocketLimits
  /** The origins of web pages that may connect. */
  readonly corsOrigins: readonly string[]
}

export interface Vocabulary extends ErrorConventions {
  /** The first part of all paths, such as `/novu`. */
  readonly prefix: `/${string}`
  /** The routes. Their paths include the prefix. */
  readonly table: readonly Route[]
  /** Returns what accepts its WebSockets, by path. Default: it has none. */
  readonly upgrades?: (options: UpgradeOptions) => ReadonlyMap<string, Upgrade>
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

/**
 * Returns a route that converts the body of a request before the route reads it.
 *
 * @param documentedBody the body that it accepts.
 */
export const withBody = (route: Route, documentedBody: z.ZodType, convert: (body: unknown) => unknown): Route => ({
  ...route,
  documentedBody,
  act: (scope, request) => route.act(scope, { ...request, body: convert(request.body) }),
})

const unionOf = (one: z.ZodType = z.never(), other: z.ZodType = z.never()) =>
  one === other ? one : z.union([one, other])

/** Returns a route that acts as another one at the same path for the bodies that `isOther` selects. */
export const eitherOf = (one: Route, other: Route, isOther: (body: unknown) => boolean): Route => ({
  ...one,
  documentedBody: unionOf(one.body, other.body),
  response: unionOf(one.response, other.response),
  act: (scope, request) => (isOther(request.body) ? other : one).act(scope, request),
})
