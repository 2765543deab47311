// The handshakes of live connections: origins, rate limits, errors and the request log. Their URLs contain tokens, so nothing
// shows more of a URL than its path.
import { isOfOrigins } from '../../../../http/cors.ts'
import { toWebResponse } from '../../../../http/plain-response.ts'
import { RateMeter } from '../../../../http/rate-meter.ts'
import { pathOf, RequestRecord } from '../../../../http/request-record.ts'
import type { Socket, Upgrade } from '../../../../http/web-socket.ts'
import { Refusal } from '../../../../lib/errors.ts'
import { errorResponse } from '../../../errors.ts'
import type { UpgradeOptions } from '../../../vocabulary.ts'

/** The parts of an accepted handshake. */
interface Handshake {
  readonly query: URLSearchParams
  readonly address: string | undefined
  readonly meter: RateMeter
  readonly record: RequestRecord
}

const SWITCHING_PROTOCOLS = 101

/**
 * Returns what accepts the WebSockets of a path.
 *
 * @param operation its name in the metrics and in the log.
 * @param accept draws from the meter, and returns what opens the connection. @throws Refusal
 */
export function acceptor(
  { gateway, logger, rateLimiter, corsOrigins }: UpgradeOptions,
  operation: string,
  accept: (handshake: Handshake) => Promise<(socket: Socket) => void>,
): Upgrade {
  const { metrics, now } = gateway
  const rejected = (code: string) => metrics.rejected('rest', code)
  return async (request, address) => {
    const record = new RequestRecord(address, request.headers)
    record.door = 'rest'
    record.operation = operation
    const meter = new RateMeter(rateLimiter, address)
    const answered = (status: number) => record.answered({ metrics, logger }, status, request)
    const refused = (error: unknown) =>
      errorResponse(error, pathOf(request.url), now(), { logger, rejected, trace: record, isJson: true })
    try {
      if (!isOfOrigins(corsOrigins, request)) throw new Refusal('FORBIDDEN', 'Origin must be one of CORS_ORIGINS')
      const query = new URL(request.url).searchParams
      const open = await accept({ query, address, meter, record })
      answered(SWITCHING_PROTOCOLS)
      return { open }
    } catch (error) {
      const response = toWebResponse(meter.settle(refused(error), refused))
      answered(response.status)
      return response
    }
  }
}
