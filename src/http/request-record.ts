// What becomes known about a request while it is answered, for the metrics.
import type { Door, Metrics } from '../lib/metrics.ts'

/** The operation of a request that was rejected before its operation was known. */
export const UNKNOWN_OPERATION = 'unknown'

/** One request, or one operation over a WebSocket. */
export class RequestRecord {
  /** The client's address. Undefined without a connection. */
  readonly address: string | undefined
  door: Door = 'other'
  /** One of a closed list: a route, a root field or the path of a page. */
  operation = UNKNOWN_OPERATION
  readonly #startedAt = performance.now()

  constructor(address: string | undefined) {
    this.address = address
  }

  /** Reports the response. */
  answered(metrics: Metrics, status: number): void {
    metrics.answered(this.door, this.operation, status, (performance.now() - this.#startedAt) / 1000)
  }
}
