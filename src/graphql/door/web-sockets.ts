// Subscriptions over WebSocket, with the protocol graphql-transport-ws. Each subscription is authenticated, limited and
// executed like one over HTTP; only the connection differs.
import { type ExecutionArgs, type ExecutionResult, type GraphQLError, parse } from 'graphql'
import { type Context, GRAPHQL_TRANSPORT_WS_PROTOCOL, makeServer, type SubscribePayload } from 'graphql-ws'
import { type GraphQLParams, isAsyncIterable } from 'graphql-yoga'
import type { Logger } from 'pino'
import { createDoorScope } from '../../domain/resolver/door-scope.ts'
import type { Gateway } from '../../domain/resolver/scope.ts'
import { authenticate } from '../../http/authenticate.ts'
import { isOfOrigins } from '../../http/cors.ts'
import type { Pending } from '../../http/pending-sockets.ts'
import { ordinaryRate, type RateLimiter } from '../../http/rate-limit.ts'
import { RateMeter } from '../../http/rate-meter.ts'
import { RequestRecord } from '../../http/request-record.ts'
import type { SocketLimits } from '../../http/socket-limits.ts'
import type { Socket, Upgrade } from '../../http/web-socket.ts'
import { errorKinds, Refusal } from '../../lib/errors.ts'
import type { GraphContext } from '../schema/builder.ts'
import { schema } from '../graph/schema.ts'
import {
  endsStream,
  errorResponse,
  formatError,
  formatResult,
  httpStatusOf,
  type Mask,
  refusalResponse,
  reportErrors,
} from '../pipeline/errors.ts'

/** Maximum subscriptions of one connection at a time. */
export const MAX_SUBSCRIPTIONS = 100

/**
 * Close codes: one of the protocol for invalid credentials, and one of RFC 6455 that asks the client to connect again
 * later.
 */
const FORBIDDEN = 4403
const TRY_AGAIN_LATER = 1013
const forbidding: readonly unknown[] = [errorKinds.UNAUTHENTICATED.code, errorKinds.FORBIDDEN.code]
/** The status of a subscription that has started, as over HTTP. */
const OK = 200

/** A document that tells graphql-ws that the operation is a subscription. By then, yoga has already executed it. */
const anySubscription = parse('subscription { __typename }')

interface Connection {
  readonly socket: Socket
  readonly request: Request
  readonly address: string | undefined
  /** The part of the parameters of `connection_init` that is kept. */
  authorization: string | undefined
  isClosed: boolean
  /** Removes the connection from the count. */
  release: () => void
}

type ConnectionContext = Context<Record<string, unknown>, Connection>
type Results = AsyncIterable<ExecutionResult>

/** Carries the errors that ended a stream through graphql-ws. */
class StreamEnded extends Error {
  readonly errors: readonly GraphQLError[]

  constructor(errors: readonly GraphQLError[]) {
    super('the stream has ended with an error')
    this.errors = errors
  }
}

/**
 * Yields the same results, but throws the error that ends the stream. Leaving the iteration ends the stream
 * immediately.
 */
function throwing(results: Results): AsyncIterableIterator<ExecutionResult> {
  const source = results[Symbol.asyncIterator]()
  return {
    async next() {
      const result = await source.next()
      if (result.done !== true && endsStream(result.value)) throw new StreamEnded(result.value.errors ?? [])
      return result
    },
    async return() {
      await source.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** Characters that are not allowed in a header value. */
const forbiddenInHeader = /[\0\r\n\u0100-\uffff]/

/**
 * Returns the Authorization value of `connection_init`, if it is a string.
 *
 * @throws Refusal `UNAUTHENTICATED` if it is not a valid header value. Unlike an error of `Headers`, it does not
 *   quote the value.
 */
function authorizationOf({ connectionParams = {} }: ConnectionContext): string | undefined {
  const { Authorization, authorization = Authorization } = connectionParams
  if (typeof authorization !== 'string') return undefined
  if (!forbiddenInHeader.test(authorization.trim())) return authorization
  throw new Refusal('UNAUTHENTICATED', 'Authorization has characters that a header cannot have')
}

/** A request with the credentials of `connection_init`, as if each subscription were sent with them. */
function withCredentials({ authorization, request }: Connection): Request {
  const headers = new Headers({ 'content-type': 'application/json' })
  if (authorization !== undefined) headers.set('authorization', authorization)
  return new Request(request.url, { method: 'POST', headers })
}

/** Parameters that may be null over WebSocket. */
const withoutNulls = ({ operationName, variables, extensions }: SubscribePayload) => ({
  operationName: operationName ?? undefined,
  variables: variables ?? undefined,
  extensions: extensions ?? undefined,
})

export interface WebSocketOptions {
  readonly gateway: Gateway
  readonly logger: Logger
  readonly rateLimiter: RateLimiter
  readonly corsOrigins: readonly string[]
  readonly socketLimits: SocketLimits
  readonly mask: Mask
  /** Executes an operation. Errors are returned as results. */
  readonly execute: (
    operation: { readonly params: GraphQLParams; readonly request: Request },
    context: GraphContext,
  ) => Promise<ExecutionResult | Results | undefined>
}

export function createWebSockets(options: WebSocketOptions): Upgrade {
  const { gateway, logger, rateLimiter, corsOrigins, socketLimits, mask, execute } = options
  const { metrics } = gateway
  const { open, pending } = socketLimits
  const streams = new WeakMap<ExecutionArgs, Results>()

  /** @throws Refusal if the credentials are invalid or the caller is over its rate limit. */
  async function identify({ headers }: Request, meter: RateMeter) {
    try {
      const caller = await authenticate(gateway, headers)
      meter.identify(caller)
      return caller
    } catch (error) {
      meter.draw([ordinaryRate])
      throw error
    }
  }

  async function subscribe(
    context: ConnectionContext,
    payload: SubscribePayload,
    record: RequestRecord,
  ): Promise<Results | GraphQLError[]> {
    const { subscriptions, extra } = context
    if (Object.keys(subscriptions).length > MAX_SUBSCRIPTIONS) {
      const message = `A WebSocket carries at most ${MAX_SUBSCRIPTIONS} subscriptions at a time`
      throw new Refusal('TOO_MANY_STREAMS', message)
    }
    const meter = new RateMeter(rateLimiter, extra.address)
    const request = withCredentials(extra)
    const caller = await identify(request, meter)
    record.caller = caller
    const result = await execute(
      { params: { ...payload, ...withoutNulls(payload) }, request },
      {
        scope: createDoorScope(gateway, caller, undefined, record),
        meter,
        record,
        recheck: () => authenticate(gateway, request.headers),
      },
    )
    if (isAsyncIterable(result)) return result
    // Unless the rate was drawn when the calls were known.
    meter.draw([ordinaryRate])
    return [...(result?.errors ?? [])]
  }

  const server = makeServer<Record<string, unknown>, Connection>({
    async onConnect(context) {
      const { extra } = context
      const meter = new RateMeter(rateLimiter, extra.address)
      try {
        extra.authorization = authorizationOf(context)
        Object.assign(context, { connectionParams: undefined })
        const { kind, environmentId } = await identify(withCredentials(extra), meter)
        meter.draw([ordinaryRate])
        if (kind === 'public') throw new Refusal('FORBIDDEN', 'A public caller cannot subscribe: open a session')
        if (extra.isClosed) return false
        const close = open.add(environmentId)
        extra.release()
        extra.release = close
        extra.socket.authenticated()
        return true
      } catch (error) {
        const masked = mask(error)
        const { message, extensions } = masked
        reportErrors(metrics, [masked])
        const isForbidden = forbidding.includes(extensions['code'])
        extra.socket.close(isForbidden ? FORBIDDEN : TRY_AGAIN_LATER, message)
        return false
      }
    },
    async onSubscribe(context, _id, payload) {
      const record = new RequestRecord(context.extra.address, context.extra.request.headers)
      record.door = 'graphql'
      const results = await subscribe(context, payload, record).catch((error: unknown) => {
        const masked = [mask(error, record)]
        reportErrors(metrics, masked)
        return masked
      })
      if (!isAsyncIterable(results)) {
        record.answered({ metrics, logger }, httpStatusOf({ errors: results }), context.extra.request)
        return results
      }
      record.answered({ metrics, logger }, OK, context.extra.request)
      const args: ExecutionArgs = { schema, document: anySubscription }
      streams.set(args, throwing(results))
      return args
    },
    subscribe: (args) => streams.get(args) ?? {},
    onNext: (_context, _id, _payload, _args, result) => formatResult(result),
    onError({ extra }, _id, _payload, given) {
      const errors = given.flatMap((error) =>
        error.originalError instanceof StreamEnded ? error.originalError.errors : [error],
      )
      const unknown = errors.find(({ extensions }) => extensions['code'] === errorKinds.UNAUTHENTICATED.code)
      // Closes after the error is sent. The client then connects again, with current credentials.
      if (unknown) setImmediate(() => extra.socket.close(FORBIDDEN, unknown.message))
      return errors.map(formatError)
    },
  })

  function accept(request: Request, address: string | undefined, socket: Socket): void {
    const waiting: Pending = { address, end: () => socket.end() }
    const connection: Connection = {
      ...{ socket, request, address, authorization: undefined, isClosed: false },
      release: () => pending.delete(waiting),
    }
    pending.add(waiting)
    const closed = server.opened(
      {
        protocol: socket.protocol,
        send: (text) => socket.send(text),
        close: (code = TRY_AGAIN_LATER, reason = '') => socket.close(code, reason),
        onMessage(listener) {
          socket.onMessage(async (text) => {
            try {
              await listener(text)
            } catch (error) {
              socket.close(TRY_AGAIN_LATER, mask(error).message)
            }
          })
        },
      },
      connection,
    )
    socket.onClose((code, reason) => {
      connection.isClosed = true
      connection.release()
      closed(code, reason).catch(mask)
    })
  }

  /** @throws Refusal if the path or protocol is wrong, or the address is over its rate limit */
  function assertHandshake(request: Request, meter: RateMeter): void {
    if (!isOfOrigins(corsOrigins, request)) throw new Refusal('FORBIDDEN', 'Origin must be one of CORS_ORIGINS')
    const offered = request.headers.get('sec-websocket-protocol') ?? ''
    if (!offered.split(',').some((name) => name.trim() === GRAPHQL_TRANSPORT_WS_PROTOCOL)) {
      throw new Refusal('MALFORMED', `Sec-WebSocket-Protocol must include ${GRAPHQL_TRANSPORT_WS_PROTOCOL}`)
    }
    meter.draw([ordinaryRate])
  }

  return (request, address) => {
    const meter = new RateMeter(rateLimiter, address)
    try {
      assertHandshake(request, meter)
    } catch (error) {
      const masked = mask(error)
      reportErrors(metrics, [masked])
      if (!(error instanceof Refusal)) return errorResponse(masked)
      return meter.settle(refusalResponse(error), refusalResponse)
    }
    return { protocol: GRAPHQL_TRANSPORT_WS_PROTOCOL, open: (socket) => accept(request, address, socket) }
  }
}
