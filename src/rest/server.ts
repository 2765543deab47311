// The REST API: routes each request to its resolver and returns the documented response.
import { Hono } from 'hono'
import type { Logger } from 'pino'
import { rateFor } from '../domain/resolver.ts'
import { createScope, type Gateway, type Scope } from '../domain/scope.ts'
import { authenticate } from '../http/authenticate.ts'
import { echoIdempotencyKey, runIdempotently } from '../http/idempotency.ts'
import { ordinaryRate, type RateLimiter } from '../http/rate-limit.ts'
import { RateMeter } from '../http/rate-meter.ts'
import { readBytes } from '../http/request-body.ts'
import type { Turns } from '../http/turns.ts'
import { Refusal } from '../lib/errors.ts'
import { shorten } from '../lib/shorten.ts'
import { assertEncoded, readBody, readQuery } from './decode.ts'
import { errorResponse, RefusalWithBody } from './errors.ts'
import type { Route, RouteResult } from './route.ts'

/** Maximum length of path and query, in characters. A longer one is answered with 414. */
const MAX_TARGET = 8192

export interface RestOptions {
  readonly gateway: Gateway
  readonly logger: Logger
  readonly rateLimiter: RateLimiter
  readonly turns: Turns
}

interface Exchange {
  readonly Variables: { scope: Scope }
  readonly Bindings: { meter: RateMeter }
}

const routePattern = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')

function allowedMethods(table: readonly Route[], path: string): string[] {
  const methods = table.filter((route) => route.path === path).map(({ method }) => method.toUpperCase())
  return [...(methods.includes('GET') ? ['HEAD'] : []), ...methods, 'OPTIONS'].sort()
}

function asResponse({ status, body }: RouteResult): Response {
  return body === undefined ? new Response(null, { status }) : Response.json(body, { status })
}

/** Adds the fields that callers of the route expect in a 400. */
function withRouteBody({ viewMalformed }: Route, thrown: unknown): unknown {
  const isMalformed = thrown instanceof Refusal && thrown.kind === 'MALFORMED'
  return viewMalformed && isMalformed ? new RefusalWithBody(thrown, viewMalformed(thrown)) : thrown
}

/** Returns a fetch handler for the routes in `table`. Every request is authenticated, unknown paths included. */
export function createRestFetch({ gateway, logger, rateLimiter, turns }: RestOptions, table: readonly Route[]) {
  const router = new Hono<Exchange>({ strict: false })
  const responseTo = (thrown: unknown, url: string) =>
    errorResponse(thrown, shorten(new URL(url).pathname, MAX_TARGET), gateway.now(), logger)

  router.use(async (c, next) => {
    const caller = await authenticate(gateway, c.req.raw.headers)
    c.env.meter.identify(caller)
    c.set('scope', createScope(gateway, caller))
    await next()
  })

  for (const route of table) {
    /** Returns user errors as responses, so that they are stored under an idempotency key like successes. */
    const respond = async (scope: Scope, request: Request, params: object, bytes: Buffer) => {
      try {
        assertEncoded(new URL(request.url))
        const query = readQuery(new URL(request.url).searchParams, route.query)
        const body = route.body && readBody(bytes, request.headers.get('content-type') ?? '', route.body)
        return asResponse(await route.act(scope, { params, query, body }))
      } catch (error) {
        return responseTo(withRouteBody(route, error), request.url)
      }
    }
    router.on(route.method.toUpperCase(), routePattern(route.path), async (c) => {
      const { raw } = c.req
      const rate = route.resolver.definition.rate ?? ordinaryRate
      // Before the body is read, unless the cost depends on it.
      if (rate.largeCost === undefined) c.env.meter.draw([rate])
      const bytes = await readBytes(raw)
      c.env.meter.draw([rateFor(rate, bytes.byteLength)])
      try {
        const given = c.get('scope')
        return await turns.take(given.caller, bytes.byteLength, () =>
          runIdempotently(given, raw, bytes, (scope) => respond(scope, raw, c.req.param(), bytes)),
        )
      } catch (error) {
        throw withRouteBody(route, error)
      }
    })
  }
  for (const path of new Set(table.map(({ path }) => path))) {
    const allow = allowedMethods(table, path).join(', ')
    const reserved = table.filter((route) => route.path === path).flatMap((route) => route.reserved ?? [])
    router.all(routePattern(path), (c, next) => {
      if (reserved.some((word) => c.req.path.endsWith(`/${word}`))) return next()
      if (c.req.method === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow: allow } })
      const refusal = new Refusal(
        'METHOD_NOT_ALLOWED',
        `${c.req.method} is not allowed for this path; allowed methods: ${allow}`,
      )
      const response = responseTo(refusal, c.req.url)
      response.headers.set('Allow', allow)
      return response
    })
  }
  router.notFound((c) => responseTo(new Refusal('NOT_FOUND', 'No operation at this path'), c.req.url))
  router.onError((error, c) => responseTo(error, c.req.url))

  return async (request: Request, address?: string): Promise<Response> => {
    const { pathname, search } = new URL(request.url)
    if (pathname.length + search.length > MAX_TARGET) {
      return responseTo(
        new Refusal('URI_TOO_LONG', `The path and query must be at most ${MAX_TARGET} characters`),
        request.url,
      )
    }
    const meter = new RateMeter(rateLimiter, address)
    const response = meter.settle(await router.fetch(request, { meter }), (refusal) => responseTo(refusal, request.url))
    echoIdempotencyKey(request, response)
    return response
  }
}
