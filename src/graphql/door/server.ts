// The GraphQL door: one handler for HTTP requests and one for WebSockets.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createYoga } from 'graphql-yoga'
import type { Logger } from 'pino'
import { anonymousCaller } from '../../domain/access/dashboard-session.ts'
import { createDoorScope } from '../../domain/resolver/door-scope.ts'
import type { Rate } from '../../domain/resolver/resolver.ts'
import type { Caller } from '../../domain/resolver/caller.ts'
import type { Gateway } from '../../domain/resolver/scope.ts'
import { authenticate } from '../../http/authenticate.ts'
import { ClientLeft, responseToNobody } from '../../http/client-left.ts'
import { graphiqlPage } from '../../http/graphiql.ts'
import { echoIdempotencyKey } from '../../http/idempotency.ts'
import type { AnyResponse } from '../../http/plain-response.ts'
import type { RateLimiter } from '../../http/rate-limit.ts'
import { RateMeter } from '../../http/rate-meter.ts'
import type { BodyInMemory, BodyReader } from '../../http/request-body.ts'
import type { RequestRecord } from '../../http/request-record.ts'
import type { SocketLimits } from '../../http/socket-limits.ts'
import type { Turns } from '../../http/turns.ts'
import type { Upgrade } from '../../http/web-socket.ts'
import { errorKinds, Refusal } from '../../lib/errors.ts'
import { createDocumentCache } from '../pipeline/document-cache.ts'
import { createPipeline } from '../pipeline/pipeline.ts'
import { createValidation } from '../pipeline/validation.ts'
import { useMultipartSubscriptions } from '../plugins/use-multipart-subscriptions.ts'
import { usePersistedQueries } from '../plugins/use-persisted-queries.ts'
import { usePipeline } from '../plugins/use-pipeline.ts'
import { useStrictRequests } from '../plugins/use-strict-requests.ts'
import type { GraphContext } from '../schema/builder.ts'
import { schema } from '../graph/schema.ts'
import { createMask, errorResponse, refusalResponse, reportErrors } from '../pipeline/errors.ts'
import { runOperation } from './idempotency.ts'
import { createPersistedQueries } from '../pipeline/persisted-queries.ts'
import { executePlainly, readPlainOperation } from './plain-operation.ts'
import { readSignIn } from './sign-in.ts'
import { readTrustedDocuments } from './trusted-documents.ts'
import { createWebSockets } from './web-sockets.ts'

export interface GraphqlOptions {
  readonly gateway: Gateway
  readonly logger: Logger
  readonly rateLimiter: RateLimiter
  readonly turns: Turns
  readonly bodies: BodyReader
  readonly introspection: boolean
  readonly graphiql: boolean
  /** True if the dashboard is served at `/`. */
  readonly dashboard: boolean
  readonly corsOrigins: readonly string[]
  readonly socketLimits: SocketLimits
  /** The file with the trusted documents. Default: none. */
  readonly trustedDocuments?: string | undefined
  /** True if only trusted documents are accepted. */
  readonly trustedDocumentsOnly?: boolean
}

/** Bytes of a body above which parsing takes long. */
const SLOW_TO_PARSE = 256 * 1024

/** Loaded on demand: the page is rarely opened, and opening it costs as much as many requests. */
const pageRate: Rate = { category: 'global', cost: 100 }

/** True if a browser opens GraphiQL, which has no API key yet. */
function opensPage({ method, headers }: Request): boolean {
  return method === 'GET' && (headers.get('accept') ?? '').includes('text/html')
}

export interface GraphqlDoor {
  readonly fetch: (request: Request, record: RequestRecord) => Promise<AnyResponse>
  readonly upgrade: Upgrade
}

/**
 * Handles `/graphql`. Every operation requires authentication, except a sign-in to the dashboard. The GraphiQL page
 * requires none.
 */
export function createGraphqlDoor({
  gateway,
  logger,
  rateLimiter,
  turns,
  bodies,
  introspection,
  graphiql,
  dashboard,
  corsOrigins,
  socketLimits,
  trustedDocuments,
  trustedDocumentsOnly: only = false,
}: GraphqlOptions): GraphqlDoor {
  const { metrics } = gateway
  const mask = createMask(logger)
  const refused = (refusal: Refusal) => {
    metrics.rejected('graphql', errorKinds[refusal.kind].code)
    return refusalResponse(refusal)
  }
  const failed = (thrown: unknown, record: RequestRecord) => {
    const error = mask(thrown, record)
    reportErrors(metrics, [error])
    return errorResponse(error)
  }
  const trusted = trustedDocuments === undefined ? new Map<string, string>() : readTrustedDocuments(trustedDocuments)
  const queries = createPersistedQueries({ documents: trusted, only })
  const documents = createDocumentCache()
  const validate = createValidation({ introspection })
  const pipeline = createPipeline({ suggestions: introspection, mask, metrics })
  const yoga = createYoga<GraphContext>({
    schema,
    logging: false,
    batching: false,
    multipart: false,
    cors: false,
    graphiql: false,
    landingPage: false,
    // The body is already in memory and within its limit. Yoga would copy it through another stream.
    maxRequestBodySize: false,
    // The pipeline parses, validates and masks.
    maskedErrors: false,
    parserAndValidationCache: false,
    // Node's own implementation. Yoga's starts a stream only when it is read, so a stream that the client leaves before
    // that never ends. It also prints an error whenever a client disconnects.
    fetchAPI: { ReadableStream, Response },
    plugins: [
      useStrictRequests(),
      usePersistedQueries(queries),
      usePipeline({ pipeline, documents, validate }),
      useMultipartSubscriptions(),
    ],
  })
  // The HTTP server replaces the global Response when it starts, with one that has no stream for a body of text.
  Object.defineProperty(yoga.fetchAPI, 'Response', { get: () => Response })
  const operate = (
    received: Request,
    body: BodyInMemory,
    { caller, meter, record }: { readonly caller: Caller; readonly meter: RateMeter; readonly record: RequestRecord },
  ): Promise<AnyResponse> =>
    turns.take(caller, body.size, async ({ takeLargePlace, withoutPlace }) => {
      const isLarge = body.size > SLOW_TO_PARSE
      // Decoding and parsing a large body takes long, so other requests go first.
      if (isLarge) {
        body.text()
        await nextTurn()
      }
      const operation = readPlainOperation(received, body, { caller, queries, documents, validate })
      if (isLarge) await nextTurn()
      const recheck = () => authenticate(gateway, received.headers)
      const given = createDoorScope(gateway, caller, withoutPlace, record)
      return runOperation(given, received, body, { meter, queries, documents }, async (scope) => {
        const context = { scope, meter, record, takeLargePlace, recheck, received }
        return operation ? executePlainly(operation, context, pipeline) : yoga.fetch(body.toRequest(), context)
      })
    })
  const respond = async (received: Request, meter: RateMeter, record: RequestRecord): Promise<AnyResponse> => {
    try {
      const { address } = record
      const signIn = await readSignIn(received, address, { bodies, queries })
      const caller = signIn === undefined ? await authenticate(gateway, received.headers) : anonymousCaller
      meter.identify(caller)
      record.caller = caller
      const body = signIn ?? (await bodies.readOperation(received, { caller, address }))
      try {
        return await operate(received, body, { caller, meter, record })
      } finally {
        body.release()
      }
    } catch (error) {
      if (error instanceof ClientLeft) return responseToNobody(logger)
      return error instanceof Refusal ? refused(error) : failed(error, record)
    }
  }
  async function openPage(record: RequestRecord): Promise<Response> {
    const meter = new RateMeter(rateLimiter, record.address)
    try {
      meter.draw([pageRate])
      return meter.settle(await graphiqlPage({ dashboard }), refused)
    } catch (error) {
      return error instanceof Refusal ? meter.settle(refused(error), refused) : failed(error, record)
    }
  }

  return {
    async fetch(request, record) {
      record.door = 'graphql'
      if (graphiql && opensPage(request)) {
        record.operation = 'graphiql'
        return openPage(record)
      }
      const meter = new RateMeter(rateLimiter, record.address)
      const response = meter.settle<AnyResponse>(await respond(request, meter, record), refused)
      echoIdempotencyKey(request, response)
      return response
    },
    upgrade: createWebSockets({
      gateway,
      logger,
      rateLimiter,
      corsOrigins,
      socketLimits,
      mask,
      execute: async (operation, context) => yoga.getResultForParams(operation, context),
    }),
  }
}
