// The HTTP server: a fetch handler on a port.
import { getRequestListener, type Http2Bindings, type HttpBindings } from '@hono/node-server'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { LogCounter } from '../lib/log-counter.ts'
import { answerUnreadable } from './unreadable.ts'
import { acceptWebSockets, type Upgrade } from './web-socket.ts'

/** The sender of a request. */
export interface Client {
  /** The connection's remote address; undefined without a connection. */
  readonly address: string | undefined
}

export type Fetch = (request: Request, client: Client) => Response | Promise<Response>

export interface HttpServer {
  /** The server's URL, such as `http://127.0.0.1:3000`. */
  readonly address: string
  /** Asks clients to close their connections: from now on, every response has `Connection: close`. */
  readonly endKeepAlive: () => void
  /** Stops accepting requests, closes WebSockets and resolves after the last response. */
  readonly close: () => Promise<void>
}

/** Bytes. More than Node's default, so that the application sees targets that are too long and responds with 414. */
const MAX_HEAD = 128 * 1024

/** Replaces a target that is too long to be read, so that the application rejects it like any other long target. */
const unreadTarget = `http://localhost/?${'-'.repeat(MAX_HEAD)}`

/** The port cannot be used because another process uses it. */
export class PortInUse extends Error {}

/** @param setting the name of the variable with the port. */
function portError({ code }: NodeJS.ErrnoException, host: string, port: number, setting: string): Error | undefined {
  const address = `port ${port} on ${host}`
  switch (code) {
    case 'EACCES':
      return new Error(`${address} requires more privileges: set ${setting} to a port above 1023`)
    case 'EADDRINUSE':
      return new PortInUse(`${address} is already in use: stop the other process or set ${setting} to another port`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Error(`${address} is not available on this machine: set HOST to one of its addresses`)
    default:
      return undefined
  }
}

/** True if the host of a URL has a user or a password, as in `http://a:b@x/`. No request may have one. */
function hasCredentials(url: string): boolean {
  const at = url.indexOf('@')
  return at !== -1 && at < url.indexOf('/', url.indexOf('//') + 2)
}

/** Hono's adapter does not parse URLs, so a host that cannot be parsed, such as `xn--`, would fail only later. */
function readable(fetch: Fetch): Fetch {
  /** The start of the last URL that was parsed, up to its path. A URL with the same start is valid too. */
  let known: string | undefined
  return (request, client) => {
    const { url } = request
    if (known === undefined || !url.startsWith(known)) {
      if (hasCredentials(url) || !URL.canParse(url)) return new Response(null, { status: 400 })
      known = url.slice(0, url.indexOf('/', url.indexOf('//') + 2) + 1) || undefined
    }
    return fetch(request, client)
  }
}

interface ServerOptions {
  /** The name of the variable with the port, for errors. Default: `PORT`. */
  readonly setting?: string
  readonly logger?: Pick<Logger, 'error'> | undefined
}

/**
 * @param upgrade decides on WebSocket handshakes. By default, all are rejected.
 * @throws Error that says why the port cannot be used.
 */
export async function startHttpServer(
  fetch: Fetch,
  host: string,
  port: number,
  upgrade: Upgrade = () => undefined,
  { setting = 'PORT', logger }: ServerOptions = {},
): Promise<HttpServer> {
  const handle = readable(fetch)
  const answer = getRequestListener((request, { incoming }: HttpBindings | Http2Bindings) =>
    handle(request, { address: incoming.socket.remoteAddress }),
  )
  const server = createServer({ maxHeaderSize: MAX_HEAD }, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      logger?.error({ err: error }, 'response not sent')
      response.destroy()
    })
  })
  answerUnreadable(server, () => fetch(new Request(unreadTarget), { address: undefined }))
  const { endKeepAlive, close: closeServer } = closing(server)
  const closeWebSockets = acceptWebSockets(server, upgrade)
  const refused = new LogCounter<Error>((count, err) => logger?.error({ count, err }, 'connection not accepted'))
  const close = () => {
    const closed = closeServer()
    closeWebSockets()
    refused.close()
    return closed
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(portError(error, host, port, setting) ?? error)
    })
    server.listen(port, host, resolve)
  })
  // For example, if the process has no file descriptor for another connection. The next connection is tried again.
  server.on('error', (error) => refused.add(error))
  return { address: addressOf(server), endKeepAlive, close }
}

function addressOf(server: Server): string {
  const info = server.address()
  if (info === null || typeof info === 'string') throw new Error('the server is not listening on a port')
  return `http://${info.family === 'IPv6' ? `[${info.address}]` : info.address}:${info.port}`
}

/**
 * Closes a server in two steps. First, connections end with their next response; later, the server stops accepting new
 * ones. The second step waits only for responses in flight. It closes idle connections too, but no earlier, because a
 * request may already be on its way on each of them.
 */
function closing(server: Server): Pick<HttpServer, 'endKeepAlive' | 'close'> {
  const inFlight = new Set<ServerResponse>()
  let keepsAlive = true
  let closed = false
  const closeConnections = () => {
    if (closed && inFlight.size === 0) server.closeAllConnections()
  }
  server.prependListener('request', (_request, response) => {
    inFlight.add(response)
    if (!keepsAlive) response.shouldKeepAlive = false
    response.once('close', () => {
      inFlight.delete(response)
      closeConnections()
    })
  })
  const endKeepAlive = () => {
    keepsAlive = false
    for (const response of inFlight) response.shouldKeepAlive = false
  }
  const close = () =>
    new Promise<void>((resolve, reject) => {
      closed = true
      endKeepAlive()
      server.close((error) => (error ? reject(error) : resolve()))
      closeConnections()
    })
  return { endKeepAlive, close }
}
