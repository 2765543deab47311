// The only way out: HTTP requests and connections that end in time, answer within bounds, and reach public addresses only.
import { lookup } from 'node:dns/promises'
import { connect, type Socket } from 'node:net'
import { Agent, buildConnector, type Dispatcher, request } from 'undici'
import { assertPublicLiteral, isPublic, lookupOf, PrivateAddress, type Resolve } from './public-address.ts'

export interface OutboundOptions {
  readonly allowPrivateAddresses: boolean
  /** Of a whole request, its answer included, in milliseconds. */
  readonly timeout?: number
  /** What is read of an answer; the rest is not waited for. */
  readonly maxAnswerBytes?: number
  /** How names are resolved; by the system unless said otherwise. */
  readonly resolve?: Resolve
}

export interface OutboundRequest {
  readonly method: 'POST' | 'PUT' | 'PATCH'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface OutboundResponse {
  readonly status: number
  readonly text: string
  /** Seconds, where the other side asked for a pause. */
  readonly retryAfter: number | null
}

export interface Outbound {
  /** In milliseconds. */
  readonly timeout: number
  /** Whatever the status is; a redirect is an answer like any other. @throws Unreachable when there is none. */
  request(request: OutboundRequest): Promise<OutboundResponse>
  /** A connection for other protocols than HTTP. Whoever takes it closes it. @throws Unreachable */
  connect(host: string, port: number): Promise<Socket>
  /** Ends when all requests have. */
  close(): Promise<void>
}

/** No answer was had. The message names the host and nothing else of the request: paths and headers hold secrets. */
export class Unreachable extends Error {
  /** Whether it is of no use to try again. */
  readonly permanent: boolean

  constructor(message: string, permanent: boolean) {
    super(message)
    this.name = 'Unreachable'
    this.permanent = permanent
  }
}

class Late extends Error {}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}

function unreachable(host: string, error: unknown, timeout: number): Unreachable {
  if (error instanceof PrivateAddress) return new Unreachable(error.message, true)
  const isLate = error instanceof Late || (error instanceof Error && error.name === 'TimeoutError')
  const code = codeOf(error)
  if (isLate || code === 'UND_ERR_CONNECT_TIMEOUT') {
    return new Unreachable(`${host} did not answer within ${timeout} ms`, false)
  }
  // Such as a line break in a header. The message has the name of the header, and not its value.
  if (error instanceof Error && code === 'UND_ERR_INVALID_ARG') {
    return new Unreachable(`The request to ${host} cannot be sent: ${error.message}`, true)
  }
  return new Unreachable(`${host} cannot be reached: ${code}`, false)
}

/** Leaving the loop early drops the connection, and with it what else would come. */
async function textOf(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= maxBytes) break
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxBytes))
}

/** `Retry-After` is in seconds, or a date, which is read against the clock of who wrote it (RFC 9110, section 10.2.3). */
function retryAfterOf(headers: Dispatcher.ResponseData['headers']): number | null {
  const given = headers['retry-after']
  if (typeof given !== 'string') return null
  if (/^\d{1,9}$/.test(given)) return Number(given)
  const seconds = (Date.parse(given) - Date.parse(String(headers['date']))) / 1000
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null
}

/** What goes out of this process. Make one for all deliveries: it keeps connections for the next. */
export function createOutbound({
  allowPrivateAddresses,
  timeout = 15_000,
  maxAnswerBytes = 64 * 1024,
  resolve = (hostname) => lookup(hostname, { all: true }),
}: OutboundOptions): Outbound {
  const lookupAllowed = lookupOf(resolve, allowPrivateAddresses ? () => true : isPublic)
  // Addresses are connected to without a lookup, however they were written: a URL has them in their plain form.
  const assertLiteral = allowPrivateAddresses ? () => {} : assertPublicLiteral
  const connectUnchecked = buildConnector({ timeout, lookup: lookupAllowed })
  const agent = new Agent({
    connect(options, callback) {
      try {
        assertLiteral(options.hostname)
      } catch (error) {
        callback(error instanceof Error ? error : new Error(String(error)), null)
        return
      }
      connectUnchecked(options, callback)
    },
  })

  return {
    timeout,
    async request({ url, ...rest }) {
      const { host } = new URL(url)
      try {
        const signal = AbortSignal.timeout(timeout)
        const { statusCode, headers, body } = await request(url, { ...rest, dispatcher: agent, signal })
        return { status: statusCode, text: await textOf(body, maxAnswerBytes), retryAfter: retryAfterOf(headers) }
      } catch (error) {
        throw unreachable(host, error, timeout)
      }
    },
    async connect(host, port) {
      try {
        assertLiteral(host)
        return await new Promise<Socket>((connected, reject) => {
          const socket = connect({ host, port, lookup: lookupAllowed })
          socket.setTimeout(timeout, () => socket.destroy(new Late()))
          // It stays, so that an error before the taker listens ends the connection and not the process.
          socket.on('error', reject)
          socket.once('connect', () => {
            socket.setTimeout(0)
            socket.removeAllListeners('timeout')
            connected(socket)
          })
        })
      } catch (error) {
        throw unreachable(`${host}:${port}`, error, timeout)
      }
    },
    close: () => agent.close(),
  }
}
