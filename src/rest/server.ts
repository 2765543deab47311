// The REST API: routes each request to its resolver and returns the documented response.
import type { Logger } from 'pino'
import { reading } from '../domain/resolver/reading.ts'
import { rateFor, reportRejection } from '../domain/resolver/resolver.ts'
import { createDoorScope, type DoorScope } from '../domain/resolver/door-scope.ts'
import { anonymousCaller } from '../domain/access/dashboard-session.ts'
import { callerOfIdentifier } from '../domain/access/environment.ts'
import type { Caller } from '../domain/resolver/caller.ts'
import type { Gateway } from '../domain/resolver/scope.ts'
import { authenticate } from '../http/authenticate.ts'
import { echoIdempotencyKey, fingerprintOf, hasIdempotencyKey, runIdempotently } from '../http/idempotency.ts'
import { type AnyResponse, jsonResponse } from '../http/plain-response.ts'
import { ordinaryRate, type RateLimiter } from '../http/rate-limit.ts'
import { RateMeter } from '../http/rate-meter.ts'
import type { BodyReader } from '../http/request-body.ts'
import type { RequestRecord } from '../http/request-record.ts'
import type { Turns } from '../http/turns.ts'
import { refuse, Refusal } from '../lib/errors.ts'
import { valueAt } from '../lib/paths.ts'
import { once } from '../http/once.ts'
import { shorten } from '../lib/shorten.ts'
import type { Traced } from '../lib/trace.ts'
import { streamBody } from '../http/body-stream.ts'
import { assertEncoded, readBody, readQuery } from './decode.ts'
import { errorResponse, RefusalWithBody } from './errors.ts'
import { FileBody } from './file-body.ts'
import { isSlowToParse, MAX_TRIGGER_BODY, parseLargeBody, type ParsedBody } from './large-body.ts'
import type { Route, RouteResult } from './route.ts'
import { createRouter, type Match, type OtherMethods } from './router.ts'
import type { ErrorConventions } from './vocabulary.ts'

/** Maximum length of path and query, in characters. A longer target is rejected with 414. */
const MAX_TARGET = 8192

export interface RestOptions {
  readonly gateway: Gateway
  readonly logger: Logger
  readonly rateLimiter: RateLimiter
  readonly turns: Turns
  readonly bodies: BodyReader
}

/** The context of a request while it is answered. */
interface Answering {
  readonly meter: RateMeter
  readonly record: RequestRecord
}

const asResponse = ({ status, body, headers }: RouteResult): AnyResponse =>
  body instanceof FileBody
    ? body.toResponse(status, headers)
    : body === undefined
      ? new Response(null, { status, headers })
      : jsonResponse(body, status, headers)

const withoutBody = ({ status, headers }: AnyResponse): Response =>
  new Response(null, { status, headers: Object.fromEntries(headers) })

/** Adds the route's additional fields to a 400 response. */
function withRouteBody({ viewMalformed }: Route, thrown: unknown): unknown {
  const isMalformed = thrown instanceof Refusal && thrown.kind === 'MALFORMED'
  return viewMalformed && isMalformed ? new RefusalWithBody(thrown, viewMalformed(thrown)) : thrown
}

/** Rethrows all other errors. */
function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  throw error
}

/** Returns the body of a request. @param parsed a large body, or why it is invalid. @throws Refusal */
function bodyOf(
  { body: schema }: Route,
  { headers }: Request,
  bytes: Buffer,
  parsed: ParsedBody | Refusal | undefined,
): unknown {
  if (parsed instanceof Refusal) throw parsed
  return schema && readBody(bytes, headers.get('content-type') ?? '', schema, parsed)
}

/** Returns a fetch handler for the routes in `table`. Every request is authenticated, unknown paths included. */
export function createRestFetch(
  { gateway, logger, rateLimiter, turns, bodies }: RestOptions,
  table: readonly Route[],
  { refuseOther, convert = (refusal) => refusal, hasJsonErrors = () => false }: ErrorConventions = {},
) {
  const find = createRouter(table)
  const rejected = (code: string) => gateway.metrics.rejected('rest', code)
  const responseTo = (thrown: unknown, url: string, trace: Traced) => {
    const { pathname } = new URL(url)
    const reporting = { logger, rejected, trace, isJson: hasJsonErrors(pathname) }
    const shown = thrown instanceof Refusal ? convert(thrown) : thrown
    return errorResponse(shown, shorten(pathname, MAX_TARGET), gateway.now(), reporting)
  }

  /** Returns the public caller of the environment that a body names. @throws Refusal `MALFORMED` */
  async function callerNamedIn(body: unknown, field: string): Promise<Caller> {
    const identifier = valueAt(body, [field])
    const caller = typeof identifier === 'string' ? await callerOfIdentifier(gateway, identifier) : undefined
    if (caller !== undefined) return caller
    throw refuse('MALFORMED', `${field} must be the public identifier of an environment`, field, identifier)
  }

  /**
   * Returns user errors as responses, so that they are stored under an idempotency key like successes.
   *
   * @param read returns the body. @throws Refusal
   */
  async function actOn(
    { route, params }: Match,
    scope: DoorScope,
    request: Request,
    read: () => unknown,
  ): Promise<AnyResponse> {
    let body: unknown
    try {
      const url = new URL(request.url)
      assertEncoded(url)
      const query = readQuery(url.searchParams, route.query)
      body = read()
      const ifMatch = request.headers.get('if-match')
      const act = (chosen: DoorScope) => route.act(chosen, { params: params(), query, body, ifMatch })
      return asResponse(await (route.method === 'get' ? reading(scope, act) : act(scope)))
    } catch (error) {
      if (error instanceof Refusal) reportRejection(scope, route.resolver, body, error)
      return responseTo(withRouteBody(route, error), request.url, scope.trace)
    }
  }

  async function respond(
    found: Match,
    sending: Caller,
    request: Request,
    { meter, record }: Answering,
  ): Promise<AnyResponse> {
    const rate = found.route.resolver.definition.rate ?? ordinaryRate
    // The rate limit applies before the body is read, unless the cost depends on the body.
    if (rate.largeCost === undefined) meter.draw([rate])
    const { takesFile, hasFiles, environmentField } = found.route
    const sender = { caller: sending, address: record.address }
    if (takesFile !== undefined) {
      return turns.take(sending, 0, ({ withoutPlace }) => {
        const scope = createDoorScope(gateway, sending, withoutPlace, record)
        const bytes = streamBody(request, takesFile, () => bodies.beginReceiving(sender))
        // A client may be slow. What it sends is idempotent by itself.
        return withoutPlace(() => actOn(found, scope, request, () => ({ bytes })))
      })
    }
    const mayBeLarge = hasFiles && sending.permissions.has(found.route.resolver.definition.permission)
    const { bytes, release } = mayBeLarge
      ? await bodies.read(request, sender, MAX_TRIGGER_BODY, false)
      : await bodies.read(request, sender)
    try {
      meter.draw([rateFor(rate, bytes.byteLength)])
      const caller =
        environmentField === undefined
          ? sending
          : await callerNamedIn(bodyOf(found.route, request, bytes, undefined), environmentField)
      record.caller = caller
      return await turns.take(caller, bytes.byteLength, async ({ withoutPlace }) => {
        const given = createDoorScope(gateway, caller, withoutPlace, record)
        const { secret = false } = found.route.resolver.definition
        const identify = () => fingerprintOf(given, request, bytes)
        // A large body is parsed before the transaction of a key, which would be open for long and may be repeated: the
        // thread takes the bytes.
        const isLarge = hasFiles && isSlowToParse(bytes)
        const known = isLarge && hasIdempotencyKey(request) ? identify() : undefined
        const parsed = isLarge ? await parseLargeBody(bytes).catch(asRefusal) : undefined
        const read = once(() => bodyOf(found.route, request, bytes, parsed))
        const repeatable = { request, fingerprint: () => known ?? identify(), secret }
        return runIdempotently(given, repeatable, (scope) => actOn(found, scope, request, read))
      })
    } catch (error) {
      throw withRouteBody(found.route, error)
    } finally {
      release()
    }
  }

  function respondElsewhere(found: OtherMethods | undefined, { method, url }: Request, trace: Traced): AnyResponse {
    const { pathname } = new URL(url)
    if (refuseOther !== undefined && method !== 'OPTIONS') return responseTo(refuseOther(method, pathname), url, trace)
    if (found === undefined) return responseTo(new Refusal('NOT_FOUND', 'No operation at this path'), url, trace)
    const { allow } = found
    if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow: allow } })
    const message = `${method} is not allowed for this path; allowed methods: ${allow}`
    const response = responseTo(new Refusal('METHOD_NOT_ALLOWED', message), url, trace)
    response.headers.set('Allow', allow)
    return response
  }

  async function answer(request: Request, { meter, record }: Answering): Promise<AnyResponse> {
    try {
      const found = find(request)
      const isNamed = found !== undefined && 'route' in found && found.route.environmentField !== undefined
      const caller = isNamed ? anonymousCaller : await authenticate(gateway, request.headers)
      meter.identify(caller)
      record.caller = caller
      if (found === undefined || !('route' in found)) return respondElsewhere(found, request, record)
      record.operation = found.route.name
      return await respond(found, caller, request, { meter, record })
    } catch (error) {
      return responseTo(error, request.url, record)
    }
  }

  return async (request: Request, record: RequestRecord): Promise<AnyResponse> => {
    record.door = 'rest'
    const { pathname, search } = new URL(request.url)
    if (pathname.length + search.length > MAX_TARGET) {
      return responseTo(
        new Refusal('URI_TOO_LONG', `The path and query must be at most ${MAX_TARGET} characters`),
        request.url,
        record,
      )
    }
    const meter = new RateMeter(rateLimiter, record.address)
    const answered = await answer(request, { meter, record })
    const response = meter.settle(request.method === 'HEAD' ? withoutBody(answered) : answered, (refusal) =>
      responseTo(refusal, request.url, record),
    )
    echoIdempotencyKey(request, response)
    return response
  }
}
