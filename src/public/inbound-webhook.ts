// Reports of providers: one route for all integrations, without an API key. A request proves by its signature or token that
// it comes from the account of the integration.
import { type Context, Hono } from 'hono'
import { LRUCache } from 'lru-cache'
import { recordReports } from '../domain/execution/delivery-report.ts'
import {
  type ProviderRequest,
  REPORT_PATH,
  reportingIntegration,
  verifyReports,
} from '../domain/execution/inbound-webhook.ts'
import { receiveTexts } from '../domain/suppression/inbound-text.ts'
import { createDoorScope } from '../domain/resolver/door-scope.ts'
import { refusalOfOutage } from '../http/fault.ts'
import type { BodyReader } from '../http/request-body.ts'
import { errorKinds, Refusal } from '../lib/errors.ts'
import { drawFrom, type TokenBucket } from '../lib/token-bucket.ts'
import type { Logger } from 'pino'
import type { Gateway } from '../domain/resolver/scope.ts'
import type { RequestRecord } from '../http/request-record.ts'

interface ReportOptions {
  readonly gateway: Gateway
  readonly logger: Logger
  readonly bodies: BodyReader
  readonly baseUrl?: string | undefined
}

interface ReportBindings {
  readonly record: RequestRecord
}

/** The maximum body, in bytes. */
const MAX_BODY = 5 * 1024 * 1024

/** Requests per second of one integration, in each process. */
const RATE = { rate: 200, capacity: 200 }

/** Integrations whose rate is counted. Over the limit, the one that reported least recently begins again. */
const MAX_BUCKETS = 10_000

const PATH = `${REPORT_PATH}/:environment/:integration`

type Reporting = Context<{ Bindings: ReportBindings }, typeof PATH>

/** The tokens in the URL and in the basic authentication, whose user name does not matter. */
function tokensOf({ req }: Reporting): readonly string[] {
  const [, encoded] = /^Basic ([\w+/=-]+)$/i.exec(req.header('authorization') ?? '') ?? []
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? []
  return [new URL(req.url).searchParams.get('token'), password].filter((token) => typeof token === 'string')
}

/** The URL as strangers write it, and as it arrived: a proxy may have changed the host. */
function urlsOf(received: string, baseUrl: string | undefined): readonly string[] {
  const { pathname, search } = new URL(received)
  return baseUrl === undefined ? [received] : [`${baseUrl.replace(/\/$/, '')}${pathname}${search}`, received]
}

const noProvider = (environmentId: string) => ({ kind: 'provider' as const, environmentId })

/** Returns the route of all reports. */
export function reportRoutes({ gateway, logger, baseUrl, bodies }: ReportOptions) {
  const buckets = new LRUCache<string, TokenBucket>({ max: MAX_BUCKETS })
  const routes = new Hono<{ Bindings: ReportBindings }>()

  /** @throws Refusal `RATE_LIMITED` */
  function draw(name: string): void {
    const { allowed, bucket, wait } = drawFrom(buckets.get(name), RATE, 1, gateway.now().getTime())
    buckets.set(name, bucket)
    if (allowed) return
    const retryAfter = Math.max(1, Math.ceil(wait))
    throw new Refusal('RATE_LIMITED', `At most ${RATE.rate} requests per second of an integration`, { retryAfter })
  }

  /** @returns true if the request has text messages of persons. */
  async function receive(c: Reporting): Promise<boolean> {
    const { record } = c.env
    const address = c.req.param()
    draw(`${address.environment}/${address.integration}`)
    const integration = await reportingIntegration(gateway, address)
    const { environmentId, providerId, lastReportAt } = integration
    const sender = { caller: noProvider(environmentId), address: record.address }
    const { bytes, release } = await bodies.read(c.req.raw, sender, MAX_BODY)
    try {
      const request: ProviderRequest = {
        urls: urlsOf(c.req.url, baseUrl),
        header: (name) => c.req.header(name),
        body: bytes,
        now: gateway.now(),
        tokens: tokensOf(c),
      }
      const { caller, received } = await verifyReports(gateway, integration, request)
      record.caller = caller
      const { texts = [], ...reports } = received
      const scope = createDoorScope(gateway, caller)
      await recordReports(scope, { providerId, lastReportAt, ...reports })
      if (texts.length > 0) await receiveTexts(scope, { texts })
      return texts.length > 0
    } finally {
      release()
    }
  }

  routes.post(PATH, async (c) => {
    c.env.record.operation = PATH
    try {
      // A provider takes a body for the answer to a text message.
      return (await receive(c)) ? c.body(null, 204) : c.json({ status: 'ok' })
    } catch (error) {
      const refusal = error instanceof Refusal ? error : refusalOfOutage(logger, error, c.env.record)
      if (refusal === undefined) throw error
      const { status, code } = errorKinds[refusal.kind]
      gateway.metrics.rejected('public', code)
      const retryAfter = refusal.retryAfter === undefined ? undefined : { 'Retry-After': String(refusal.retryAfter) }
      return c.json({ statusCode: status, message: refusal.message }, status, retryAfter)
    }
  })
  return routes
}
