// All outbound requests and connections: with a timeout, a limit on the response size, and to public addresses only.
import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { connect as startTls } from 'node:tls'
import type { Agent, Dispatcher } from 'undici'
import { loadUndici, openAgent } from './agent.ts'
import { createNameResolver, type NameResolver } from './name-resolver.ts'
import { type PiecewiseBody, streamed, timeToSend } from './piecewise-body.ts'
import { assertAllowed, BlockedAddress, createObjection, lookupOf } from './public-address.ts'
import { bytesOfBody, lengthOf, retryAfterOf, singleHeaders, textOf } from './response.ts'

export interface OutboundOptions {
  readonly allowPrivateAddresses: boolean
  /** Addresses and CIDR ranges that are never called. Default: none. */
  readonly deniedAddresses?: readonly string[]
  /** The time limit of a request including its response, in milliseconds. */
  readonly timeout?: number
  /** The maximum size of a response. The rest is not read. */
  readonly maxResponseBytes?: number
  /** Resolves host names. */
  readonly names?: NameResolver
  /** Certificates of the authorities to trust, in PEM form. Default: those of Node.js. */
  readonly authorities?: readonly string[] | undefined
}

export interface OutboundRequest {
  /** The environment that the request is for. */
  readonly environmentId: string
  readonly method: 'POST' | 'PUT' | 'PATCH'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** A large body has more time: a second for each MiB. */
  readonly body: string | PiecewiseBody
  /** True if the server may choose HTTP/2, which some require. Default: false. */
  readonly http2?: boolean | undefined
}

interface OutboundResponse {
  readonly status: number
  readonly text: string
  /** The value of `Retry-After` in seconds. */
  readonly retryAfter: number | null
  /** By their names in lower case. Without headers that occur more than once. */
  readonly headers: Readonly<Partial<Record<string, string>>>
}

export interface FetchRequest {
  readonly environmentId: string
  readonly url: string
  /** Bytes. A larger file is not read to its end. */
  readonly maxBytes: number
}

interface Fetched {
  readonly status: number
  /** Undefined if the file is too large, or with another status than 200 to 299. */
  readonly bytes: Uint8Array | undefined
  /** The media type, as the server says. */
  readonly type: string | undefined
}

export interface Outbound {
  /** Milliseconds. */
  readonly timeout: number
  /** Returns the response for any status, without following redirects. @throws Unreachable if there is no response. */
  request(request: OutboundRequest): Promise<OutboundResponse>
  /** Fetches a file, without following redirects. @throws Unreachable if there is no response. */
  fetchBytes(request: FetchRequest): Promise<Fetched>
  /**
   * Checks a host without looking it up. @throws Unreachable for a literal address or a name that is always blocked,
   * as a request to it would.
   */
  assertReachable(host: string): void
  /** Opens a connection for a protocol other than HTTP. The caller closes it. @throws Unreachable */
  connect(host: string, port: number, environmentId: string): Promise<Socket>
  /** Calls `act` when the outbound is closed. For connections that are kept open. */
  beforeClose(act: () => void): void
  /** Resolves when all requests have ended. */
  close(): Promise<void>
}

/**
 * There was no response. The message names only the host of the request, because paths and headers may contain secrets.
 */
export class Unreachable extends Error {
  /** True if a further attempt would fail in the same way. */
  readonly permanent: boolean
  /** True if the gateway may not call the address. */
  readonly isBlocked: boolean
  /** True if the request was sent, at least in part, so that the receiver may have acted on it. */
  readonly isSent: boolean

  constructor(message: string, permanent: boolean, { isBlocked = false, isSent = false } = {}) {
    super(message)
    this.name = 'Unreachable'
    this.permanent = permanent
    this.isBlocked = isBlocked
    this.isSent = isSent
  }
}

type CallOptions = Pick<OutboundRequest, 'environmentId' | 'url' | 'headers' | 'http2'> & {
  readonly method: OutboundRequest['method'] | 'GET'
  readonly body?: string | Readable
  /** Milliseconds. */
  readonly timeout: number
}

class Timeout extends Error {}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}

function unreachable(host: string, error: unknown, timeout: number, isSent = false): Unreachable {
  if (error instanceof BlockedAddress) return new Unreachable(error.message, true, { isBlocked: true })
  const isTimeout = error instanceof Timeout || (error instanceof Error && error.name === 'TimeoutError')
  const code = codeOf(error)
  if (isTimeout || code === 'UND_ERR_CONNECT_TIMEOUT') {
    return new Unreachable(`${host} did not respond within ${timeout} ms`, false, { isSent })
  }
  // For example a line break in a header. The message has the header's name but not its value.
  if (error instanceof Error && code === 'UND_ERR_INVALID_ARG') {
    return new Unreachable(`The request to ${host} cannot be sent: ${error.message}`, true)
  }
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET') {
    const message = `${host} closed the connection before the response was complete`
    return new Unreachable(message, false, { isSent })
  }
  return new Unreachable(`${host} cannot be reached: ${code}`, false, { isSent })
}

/** Calls `begin` when a connection begins to send the request. */
const noting =
  (begin: () => void): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        begin()
        handler.onRequestStart?.(controller, context)
      },
      onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
      onResponseStart: (...given) => handler.onResponseStart?.(...given),
      onResponseData: (...given) => handler.onResponseData?.(...given),
      onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
      onResponseError: (...given) => handler.onResponseError?.(...given),
    })

/** Begins TLS on an open connection. @throws if the certificate is invalid or the host does not answer in time. */
export async function beginTls(socket: Socket, host: string, timeout: number): Promise<void> {
  const secure = startTls({ socket, servername: host })
  await once(secure, 'secureConnect', { signal: AbortSignal.timeout(timeout) })
}

/** Create one per process: it keeps connections open for reuse. */
export function createOutbound({
  allowPrivateAddresses,
  deniedAddresses = [],
  timeout = 15_000,
  maxResponseBytes = 64 * 1024,
  names = createNameResolver(),
  authorities,
}: OutboundOptions): Outbound {
  const objection = createObjection(allowPrivateAddresses, deniedAddresses)
  const closing = new Set<() => void>()
  const connecting = { timeout, objection, authorities, lookup: lookupOf(names.resolve, objection) }
  let opening: Promise<Agent> | undefined
  let openingHttp2: Promise<Agent> | undefined

  /**
   * Resolves a name that is not known yet, so that the lookup counts against the environment's limit. The agent, which
   * does not know the environment, looks the name up again and decides whether to connect.
   *
   * @throws like `resolve`, or the reason of the signal.
   */
  async function prepare(hostname: string, environmentId: string, signal: AbortSignal): Promise<void> {
    if (isIP(hostname) !== 0 || hostname.startsWith('[') || names.knows(hostname)) return
    assertAllowed(hostname, objection)
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    })
    await Promise.race([names.resolve(hostname, environmentId), aborted])
  }

  /** Sends a request and reads its response. @throws Unreachable */
  async function call<Result>(
    { url, environmentId, timeout: ownTimeout, http2 = false, ...rest }: CallOptions,
    read: (response: Dispatcher.ResponseData) => Promise<Result>,
  ): Promise<Result> {
    const { host, hostname } = new URL(url)
    let isSent = false
    try {
      const { request } = await loadUndici()
      const agent = await (http2
        ? (openingHttp2 ??= openAgent(connecting, true))
        : (opening ??= openAgent(connecting, false)))
      const dispatcher = agent.compose(
        noting(() => {
          isSent = true
        }),
      )
      const signal = AbortSignal.timeout(ownTimeout)
      await prepare(hostname, environmentId, signal)
      // Otherwise undici keeps a connection to one POST at a time, with HTTP/2 too.
      const sharing = http2 && { idempotent: true }
      return await read(await request(url, { ...rest, ...sharing, dispatcher, signal }))
    } catch (error) {
      throw unreachable(host, error, ownTimeout, isSent)
    }
  }

  return {
    timeout,
    request({ body: sent, ...given }) {
      const options =
        typeof sent === 'string'
          ? { ...given, timeout, body: sent }
          : { ...given, timeout: timeout + timeToSend(sent.size), ...streamed(sent, given.headers) }
      return call(options, async ({ statusCode, headers, body }) => ({
        status: statusCode,
        text: await textOf(body, maxResponseBytes),
        retryAfter: retryAfterOf(headers),
        headers: singleHeaders(headers),
      }))
    },
    fetchBytes({ maxBytes, ...given }) {
      const options = { ...given, timeout, method: 'GET', headers: { 'user-agent': 'notification-gateway' } } as const
      return call(options, async (response) => {
        const { statusCode: status, headers, body } = response
        const type = headers['content-type']
        const isFile = status >= 200 && status < 300
        const bytes = await bytesOfBody(body, isFile ? maxBytes + 1 : 0, lengthOf(headers))
        const isWhole = isFile && bytes.byteLength <= maxBytes
        return { status, bytes: isWhole ? bytes : undefined, type: typeof type === 'string' ? type : undefined }
      })
    },
    assertReachable(host) {
      try {
        assertAllowed(host, objection)
      } catch (error) {
        throw unreachable(host, error, timeout)
      }
    },
    async connect(host, port, environmentId) {
      try {
        assertAllowed(host, objection)
        return await new Promise<Socket>((connected, reject) => {
          const lookup = lookupOf((name) => names.resolve(name, environmentId), objection)
          const socket = connect({ host, port, lookup })
          socket.setTimeout(timeout, () => socket.destroy(new Timeout()))
          // Keep the listener: an error before the caller adds its own must not end the process.
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
    beforeClose(act) {
      closing.add(act)
    },
    async close() {
      for (const act of closing) act()
      for (const opened of [opening, openingHttp2]) {
        const agent = await opened
        await agent?.close()
      }
    },
  }
}
