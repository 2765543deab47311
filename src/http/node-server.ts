// The door to the network: a fetch handler behind a port.
import { getRequestListener, type Http2Bindings, type HttpBindings } from '@hono/node-server'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { answerUnreadable } from './unreadable.ts'

/** Where a request comes from. */
export interface Client {
  /** As the connection says; undefined where there is none. */
  readonly address: string | undefined
}

export type Fetch = (request: Request, client: Client) => Response | Promise<Response>

export interface HttpServer {
  /** Such as `http://127.0.0.1:3000`. */
  readonly address: string
  /** Accepts nothing more, and ends once what is in flight was answered. */
  readonly close: () => Promise<void>
}

/** In bytes. More than Node's own limit, so that a target that is too long reaches the door, which answers 414. */
const MAX_HEAD = 128 * 1024

/** Stands for a target that could not even be read: the door refuses it as it does all that are too long. */
const unreadTarget = `http://localhost/?${'-'.repeat(MAX_HEAD)}`

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'may not be used by this user: set PORT to one above 1023',
  EADDRINUSE: 'is taken: stop what listens there, or set PORT to another',
  EADDRNOTAVAIL: 'is not of this machine: set HOST to an address that it has',
  ENOTFOUND: 'is not of this machine: set HOST to an address that it has',
}

/** @throws Error that says why the port cannot be had. */
export async function startHttpServer(fetch: Fetch, host: string, port: number): Promise<HttpServer> {
  const answer = getRequestListener((request, { incoming }: HttpBindings | Http2Bindings) =>
    fetch(request, { address: incoming.socket.remoteAddress }),
  )
  const server = createServer({ maxHeaderSize: MAX_HEAD }, (request, response) => void answer(request, response))
  answerUnreadable(server, () => fetch(new Request(unreadTarget), { address: undefined }))
  const close = closing(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = reasons[error.code ?? '']
      reject(reason === undefined ? error : new Error(`port ${port} of ${host} ${reason}`))
    })
    server.listen(port, host, resolve)
  })
  return { address: addressOf(server), close }
}

function addressOf(server: Server): string {
  const info = server.address()
  if (info === null || typeof info === 'string') throw new Error('the server listens on no port')
  return `http://${info.family === 'IPv6' ? `[${info.address}]` : info.address}:${info.port}`
}

/** Connections that wait for a next request, or never sent one, do not hold up the end: only answers are waited for. */
function closing(server: Server): () => Promise<void> {
  const inFlight = new Set<ServerResponse>()
  let closed = false
  const closeConnections = () => {
    if (closed && inFlight.size === 0) server.closeAllConnections()
  }
  server.prependListener('request', (_request, response) => {
    inFlight.add(response)
    if (closed) response.shouldKeepAlive = false
    response.once('close', () => {
      inFlight.delete(response)
      closeConnections()
    })
  })
  return () =>
    new Promise((resolve, reject) => {
      closed = true
      for (const response of inFlight) response.shouldKeepAlive = false
      server.close((error) => (error ? reject(error) : resolve()))
      closeConnections()
    })
}
