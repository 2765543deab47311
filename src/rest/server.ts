// The REST door: routes a request to its row, and answers in the documented form.
import { Hono } from 'hono'
import type { Logger } from 'pino'
import { createScope, type Gateway, type Scope } from '../domain/scope.ts'
import { authenticate } from '../http/authenticate.ts'
import { echoIdempotencyKey, runIdempotently } from '../http/idempotency.ts'
import { ordinaryRate, type RateLimiter } from '../http/rate-limit.ts'
import { RateMeter } from '../http/rate-meter.ts'
import { readBytes } from '../http/request-body.ts'
import { Refusal } from '../lib/errors.ts'
import { assertEncoded, readBody, readQuery } from './decode.ts'
import { errorResponse, RefusalWithBody } from './errors.ts'
import type { Route, RouteResult } from './route.ts'
import { table } from './table.ts'

/** Characters of a request target; a longer one is answered with 414. */
const MAX_TARGET = 8192

export interface RestOptions {
  readonly gateway: Gateway
  readonly logger: Logger
  readonly rateLimiter: RateLimiter
}

interface Exchange {
  readonly Variables: { scope: Scope }
  readonly Bindings: { meter: RateMeter }
}

const routePattern = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')

function allowedMethods(path: string): string[] {
  const methods = table.filter((row) => row.path === path).map((row) => row.method.toUpperCase())
  return [...(methods.includes('GET') ? ['HEAD'] : []), ...methods, 'OPTIONS'].sort()
}

function asResponse({ status, body }: RouteResult): Response {
  return body === undefined ? new Response(null, { status }) : Response.json(body, { status })
}

/** What was thrown, with all that the row's callers expect in a 400. */
function withRowBody({ viewMalformed }: Route, thrown: unknown): unknown {
  const isMalformed = thrown instanceof Refusal && thrown.kind === 'MALFORMED'
  return viewMalformed && isMalformed ? new RefusalWithBody(thrown, viewMalformed(thrown)) : thrown
}

/** Answers the documented paths. Every operation is made with an API key. */
export function createRestFetch({ gateway, logger, rateLimiter }: RestOptions) {
  const router = new Hono<Exchange>({ strict: false })
  const answerTo = (thrown: unknown, url: string) => errorResponse(thrown, new URL(url).pathname, gateway.now(), logger)

  router.use(async (c, next) => {
    const caller = await authenticate(gateway, c.req.raw.headers)
    c.env.meter.identify(caller)
    c.set('scope', createScope(gateway, caller))
    await next()
  })

  for (const row of table) {
    /** As an answer and not as an error, so that a refusal is kept under an idempotency key like a success. */
    const answerOf = async (scope: Scope, request: Request, params: object, bytes: Buffer) => {
      try {
        assertEncoded(new URL(request.url))
        const query = readQuery(new URL(request.url).searchParams, row.query)
        const body = row.body && readBody(bytes, request.headers.get('content-type') ?? '', row.body)
        return asResponse(await row.act(scope, { params, query, body }))
      } catch (error) {
        return answerTo(withRowBody(row, error), request.url)
      }
    }
    router.on(row.method.toUpperCase(), routePattern(row.path), async (c) => {
      const { raw } = c.req
      c.env.meter.draw([row.resolver.definition.rate ?? ordinaryRate])
      const bytes = await readBytes(raw)
      try {
        return await runIdempotently(c.get('scope'), raw, bytes, (scope) => answerOf(scope, raw, c.req.param(), bytes))
      } catch (error) {
        throw withRowBody(row, error)
      }
    })
  }
  for (const path of new Set(table.map((row) => row.path))) {
    const allow = allowedMethods(path).join(', ')
    router.all(routePattern(path), (c) => {
      if (c.req.method === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow: allow } })
      const refusal = new Refusal('METHOD_NOT_ALLOWED', `${c.req.method} is not allowed here: only ${allow} are`)
      const response = answerTo(refusal, c.req.url)
      response.headers.set('Allow', allow)
      return response
    })
  }
  router.notFound((c) => answerTo(new Refusal('NOT_FOUND', 'There is nothing at this path'), c.req.url))
  router.onError((error, c) => answerTo(error, c.req.url))

  return async (request: Request, address?: string): Promise<Response> => {
    const { pathname, search } = new URL(request.url)
    if (pathname.length + search.length > MAX_TARGET) {
      return answerTo(
        new Refusal('URI_TOO_LONG', `The path and query must be at most ${MAX_TARGET} characters`),
        request.url,
      )
    }
    const meter = new RateMeter(rateLimiter, address)
    const answer = await router.fetch(request, { meter })
    const response = meter.settle(answer, (refusal) => answerTo(refusal, request.url))
    echoIdempotencyKey(request, response)
    return response
  }
}
