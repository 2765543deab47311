// What becomes known about a request while it is processed, for the metrics and the log.
import type { Logger } from 'pino'
import type { Caller } from '../domain/resolver/caller.ts'
import type { Door, Metrics } from '../lib/metrics.ts'
import { shorten } from '../lib/shorten.ts'
import { NewTrace, readTraceparent, type Traced, traceIdOf } from '../lib/trace.ts'

/** The operation name of requests that are rejected before their operation is known. */
export const UNKNOWN_OPERATION = 'unknown'

/** The message of the request log. */
export const REQUEST_ANSWERED = 'request answered'

/** The length of a logged path, in characters. */
const MAX_PATH = 500

interface Observers {
  readonly metrics: Metrics
  readonly logger: Pick<Logger, 'debug' | 'isLevelEnabled'>
}

/** The path of a URL, as `URL` returns it but without the cost of parsing. */
export const pathOf = (url: string) => /^\w+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] ?? '/'

/** One request, or one operation over a WebSocket. */
export class RequestRecord implements Traced {
  /** The client's address. Undefined without a connection. */
  readonly address: string | undefined
  door: Door = 'other'
  /** The operation, from a closed list: a route, a root field or the path of a page. */
  operation = UNKNOWN_OPERATION
  /** What the log has instead of the path, if the path contains a secret. */
  shownPath: string | undefined
  /** Undefined until the request is authenticated. */
  caller: Caller | undefined
  readonly #startedAt = performance.now()
  readonly #headers: Pick<Headers, 'get'>
  #trace: Traced | undefined

  constructor(address: string | undefined, headers: Pick<Headers, 'get'>) {
    this.address = address
    this.#headers = headers
  }

  /** The request's `traceparent`. Undefined if it is missing or invalid. */
  get received(): string | undefined {
    return readTraceparent(this.#headers.get('traceparent'))
  }

  /** Sets the span that is the parent of what follows. */
  join(span: Traced): void {
    this.#trace = span
  }

  /** The trace of the request, or a new one. Read only when needed: most requests are not logged and write no event. */
  get traceparent(): string {
    if (this.#trace === undefined) {
      const traceparent = this.received
      this.#trace = traceparent === undefined ? new NewTrace() : { traceparent }
    }
    return this.#trace.traceparent
  }

  /** Reports the response. @param request is logged without its query, which may contain secrets. */
  answered({ metrics, logger }: Observers, status: number, request: Pick<Request, 'method' | 'url'>): void {
    const { door, operation, caller } = this
    const milliseconds = performance.now() - this.#startedAt
    metrics.answered(door, operation, status, milliseconds / 1000)
    if (!logger.isLevelEnabled('debug')) return
    logger.debug(
      {
        ...{
          method: request.method,
          path: this.shownPath ?? shorten(pathOf(request.url), MAX_PATH),
          operation,
          status,
        },
        milliseconds: Math.round(milliseconds * 10) / 10,
        ...(caller && caller.kind !== 'anonymous' && { environmentId: caller.environmentId }),
        ...(caller?.kind === 'apiKey' && { apiKeyId: caller.apiKeyId }),
        ...(caller?.kind === 'dashboard' && { dashboardSessionId: caller.sessionId }),
        traceId: traceIdOf(this),
      },
      REQUEST_ANSWERED,
    )
  }
}
