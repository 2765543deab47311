// The listener for Prometheus. It has its own port, so that the metrics are not reachable where the API is.
import type { Logger } from 'pino'
import { type HttpServer, PortInUse, startHttpServer } from '../http/node-server.ts'

/** The text format of Prometheus. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export interface MetricsServerOptions {
  readonly host: string
  readonly port: number
  /** True if the process must not start when the port is not available. */
  readonly isRequired: boolean
  /** The metrics as text. Undefined while the gateway is being opened. */
  readonly print: () => Promise<string> | undefined
  readonly logger: Pick<Logger, 'error' | 'warn'>
}

/**
 * Serves `/metrics`.
 *
 * @returns undefined if the default port is not available.
 * @throws Error that says why the port cannot be used.
 */
export async function startMetricsServer({
  host,
  port,
  isRequired,
  print,
  logger,
}: MetricsServerOptions): Promise<HttpServer | undefined> {
  const answer = async ({ method, url }: Request): Promise<Response> => {
    if (new URL(url).pathname !== '/metrics') return new Response('The metrics are at /metrics.\n', { status: 404 })
    if (method !== 'GET' && method !== 'HEAD')
      return new Response(null, { status: 405, headers: { Allow: 'GET, HEAD' } })
    const printed = await print()
    if (printed === undefined) {
      return new Response('The gateway is starting. Try again in a moment.\n', { status: 503 })
    }
    return new Response(method === 'HEAD' ? null : printed, { headers: { 'Content-Type': METRICS_TYPE } })
  }
  try {
    return await startHttpServer(answer, host, port, undefined, { setting: 'METRICS_PORT', logger })
  } catch (error) {
    if (isRequired || !(error instanceof PortInUse)) throw error
    logger.warn({ host, port }, 'metrics not served: port in use')
    return undefined
  }
}
