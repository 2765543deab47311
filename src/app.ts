// The application: one fetch handler for all requests.
import { Hono } from 'hono'
import type { Logger } from 'pino'
import type { Readiness } from './domain/resolver/readiness.ts'
import type { Gateway } from './domain/resolver/scope.ts'
import { createGraphqlDoor } from './graphql/door/server.ts'
import { clientAddress } from './http/client-address.ts'
import { withCors } from './http/cors.ts'
import { dashboardRoutes } from './http/dashboard.ts'
import { reportFault } from './http/fault.ts'
import { graphiqlRoutes } from './http/graphiql.ts'
import { inboxRoutes } from './http/inbox.ts'
import type { Client } from './http/node-server.ts'
import { type AnyResponse, toWebResponse } from './http/plain-response.ts'
import type { RateLimiter } from './http/rate-limit.ts'
import { BodyReader } from './http/request-body.ts'
import { pathOf, RequestRecord } from './http/request-record.ts'
import { inRequestSpan } from './http/request-span.ts'
import { withSecurityHeaders } from './http/security-headers.ts'
import { createSocketLimits } from './http/socket-limits.ts'
import type { Turns } from './http/turns.ts'
import type { Upgrade } from './http/web-socket.ts'
import type { StreamLimits } from './lib/stream-limits.ts'
import { createPublicFetch, isPublicPath } from './public/door.ts'
import { docsRoutes } from './rest/docs.ts'
import { createRestFetch } from './rest/server.ts'
import { table } from './rest/routes/table.ts'
import { novu } from './rest/vocabularies/novu/vocabulary.ts'
import type { Vocabulary } from './rest/vocabulary.ts'

export interface AppOptions {
  /** Checks the process for `/ready`. */
  readonly readiness: () => Promise<Readiness>
  readonly gateway: Gateway
  readonly logger: Logger
  readonly rateLimiter: RateLimiter
  readonly turns: Turns
  readonly corsOrigins: readonly string[]
  readonly streamLimits?: StreamLimits | undefined
  readonly trustedProxies: number
  readonly baseUrl?: string | undefined
  readonly euBaseUrl?: string | undefined
  readonly introspection: boolean
  readonly graphiql: boolean
  /** True if the dashboard is served at `/`. */
  readonly dashboard: boolean
  readonly trustedDocuments?: string | undefined
  readonly trustedDocumentsOnly?: boolean
}

export interface App {
  readonly fetch: (request: Request, client?: Client) => Promise<Response>
  /** Accepts WebSockets at `/graphql` and at the addresses of the vocabularies. */
  readonly upgrade: Upgrade
  /** Makes `/ready` return 503 from now on, so that load balancers send no more requests. */
  readonly beginStopping: () => void
}

/** The vocabularies beside the documented paths. */
const vocabularies: readonly Vocabulary[] = [novu]

/** The values that a handler receives with a request. */
interface Handled {
  readonly record: RequestRecord
}

export function createApp({ readiness, trustedProxies, ...options }: AppOptions): App {
  // As browsers send them: without a path.
  const corsOrigins = options.corsOrigins.map((origin) => new URL(origin).origin)
  const bodies = new BodyReader()
  const socketLimits = createSocketLimits(options.streamLimits)
  const graphql = createGraphqlDoor({ ...options, corsOrigins, socketLimits, bodies })
  const rest = createRestFetch({ ...options, bodies }, table)
  const vocabularyDoors = vocabularies.map(({ prefix, table, ...conventions }) => ({
    prefix,
    fetch: createRestFetch({ ...options, bodies }, table, conventions),
  }))
  const upgrades = new Map([
    ['/graphql', graphql.upgrade],
    ...vocabularies.flatMap(({ upgrades }) => [...(upgrades?.({ ...options, corsOrigins, socketLimits }) ?? [])]),
  ])
  const publicDoor = createPublicFetch({ ...options, bodies })
  const observers = { metrics: options.gateway.metrics, logger: options.logger }
  let stopping = false

  const operation = new Hono<{ Bindings: Handled }>()
  // To `answerSafely`: Hono itself would respond without a log line.
  operation.onError((error) => {
    throw error
  })
  operation.route('/', docsRoutes(options, table))
  for (const { prefix, table } of vocabularies) {
    operation.route(prefix, docsRoutes({ ...options, dashboard: false }, table))
  }
  operation.get('/health', (c) => c.json({ status: 'ok' }))
  operation.get('/ready', async (c) => {
    const { status, checks } = await readiness()
    if (status !== 'unavailable' && !stopping) return c.json({ status, checks })
    return c.json({ status: stopping ? 'stopping' : status, checks }, 503, { 'Retry-After': '5' })
  })

  // Only a browser that opens the bare address gets a page. API clients get the REST door's 404.
  operation.get('/', (c, next) => {
    const isBrowser = c.req.header('accept')?.includes('text/html') === true && !c.req.header('authorization')
    if (!isBrowser) return Promise.resolve(c.notFound())
    // Relative, because a proxy may serve the gateway under a path.
    return options.dashboard ? next() : Promise.resolve(c.redirect('docs', 302))
  })
  if (options.dashboard) operation.route('/', dashboardRoutes(options))
  if (options.graphiql) operation.route('/', graphiqlRoutes())
  operation.route('/', inboxRoutes())

  // Browsers ask for it without credentials.
  operation.get('/favicon.ico', (c) => c.body(null, 404))

  // Everything else gets the REST door's 404.
  operation.notFound(async (c) => toWebResponse(await rest(c.req.raw, c.env.record)))
  const pages = new Set(operation.routes.map(({ path }) => path))

  const route = (request: Request, record: RequestRecord): AnyResponse | Promise<AnyResponse> => {
    const pathname = pathOf(request.url)
    if (pathname === '/graphql') return graphql.fetch(request, record)
    if (isPublicPath(pathname)) return publicDoor(request, record)
    if (/^\/v[12]\//.test(pathname)) return rest(request, record)
    const isPage = pages.has(pathname)
    const door = isPage ? undefined : vocabularyDoors.find(({ prefix }) => pathname.startsWith(`${prefix}/`))
    if (door !== undefined) return door.fetch(request, record)
    if (isPage) record.operation = pathname
    return operation.fetch(request, { record })
  }

  const answer = withCors(corsOrigins, async (request, record: RequestRecord) =>
    withSecurityHeaders(await route(request, record)),
  )
  /** The doors mask their own faults. */
  const answerSafely = async (request: Request, record: RequestRecord): Promise<AnyResponse> => {
    try {
      return await answer(request, record)
    } catch (error) {
      reportFault(options.logger, error, record)
      return withSecurityHeaders(new Response(null, { status: 500 }))
    }
  }
  return {
    async fetch(request, client) {
      const record = new RequestRecord(clientAddress(request, client?.address, trustedProxies), request.headers)
      return inRequestSpan(record, request, async () => {
        const response = toWebResponse(await answerSafely(request, record))
        record.answered(observers, response.status, request)
        return response
      })
    },
    async upgrade(request, address) {
      const upgrade = upgrades.get(pathOf(request.url))
      const answer = await upgrade?.(request, clientAddress(request, address, trustedProxies))
      return answer instanceof Response ? withSecurityHeaders(answer) : answer
    },
    beginStopping() {
      stopping = true
    },
  }
}
