// WebSockets on the port of the HTTP server, and requests for other upgrades.
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { bytesOf } from './unreadable.ts'

/** An open WebSocket. */
export interface Socket {
  readonly protocol: string
  /** Resolves once the text was sent, so that a slow reader slows down the writer. */
  send(text: string): Promise<void>
  /** @param reason is shortened to the bytes that fit. */
  close(code: number, reason: string): void
  /** Closes the connection without a handshake. */
  end(): void
  /** Lifts the limit on what a client may send before it is authenticated. */
  authenticated(): void
  /**
   * @param listener resolves when the message has been processed, and never rejects. The server closes the socket
   *   only then.
   */
  onMessage(listener: (text: string) => Promise<void>): void
  onClose(listener: (code: number, reason: string) => void): void
}

interface Accepted {
  /** One of the subprotocols that the client offers. Default: none. */
  readonly protocol?: string
  /** Must not throw. */
  readonly open: (socket: Socket) => void
}

type Decision = Accepted | Response | undefined

/**
 * Decides on a WebSocket handshake. A response rejects it. Undefined means that the path accepts no WebSockets: the
 * request is handled as plain HTTP. Must not throw or reject.
 *
 * @param address the connection's remote address.
 */
export type Upgrade = (request: Request, address: string | undefined) => Decision | Promise<Decision>

/** Maximum size of a message in bytes. Enough for the longest query with its variables. */
const MAX_MESSAGE = 256 * 1024
/** Bytes that a client may send before it is authenticated: enough for one message with its credentials. */
export const MAX_UNAUTHENTICATED = 4 * 1024
/** Milliseconds that a client has to read why its connection is closed. Nothing is read from it meanwhile. */
const LINGER = 1_000
/** Milliseconds between pings. A connection that did not answer the last ping is closed. */
export const PING_INTERVAL = 12_000
/** Milliseconds for messages in progress and the closing handshake when the server closes. */
const CLOSE_TIMEOUT = 5_000
/** Messages of one connection that are processed at the same time. */
const MAX_IN_PROGRESS = 200
/** Maximum bytes buffered for a client that does not read. */
const MAX_WAITING = 1024 * 1024
/** Maximum bytes of a close reason, the limit of a control frame. */
const MAX_REASON = 123
const BAD_REQUEST = 400
const SERVICE_UNAVAILABLE = 503
const GOING_AWAY = 1001
const POLICY_VIOLATION = 1008
const MESSAGE_TOO_BIG = 1009

/** @throws TypeError if the target and the Host header do not form a valid URL, or form one with a password. */
function requestOf({ url = '/', method = 'GET', rawHeaders, headers }: IncomingMessage): Request {
  const pairs = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : []))
  const target = new URL(url, `http://${headers.host ?? 'localhost'}`)
  return new Request(target, { method, headers: pairs as [string, string][] })
}

const isWebSocket = ({ method, headers }: IncomingMessage) =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'

const upgradeHeaders: ReadonlySet<string> = new Set(['upgrade', 'http2-settings'])

/** Returns the head of a request as it was received, without the requested upgrade. */
function headWithoutUpgrade({ method = '', url = '', httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
    if (upgradeHeaders.has(name.toLowerCase())) continue
    const tokens = value.split(',').filter((token) => !upgradeHeaders.has(token.trim().toLowerCase()))
    if (name.toLowerCase() !== 'connection') lines.push(`${name}: ${value}`)
    else if (tokens.length > 0) lines.push(`${name}: ${tokens.join(',')}`)
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

/** Sends a response on a bare connection and closes it. */
function refuse(connection: Duplex, response: Response): void {
  bytesOf(response).then(
    (bytes) => connection.end(bytes),
    () => connection.destroy(),
  )
}

const utf8 = new TextEncoder()

/** A WebSocket that pings its client and tracks its messages in progress. */
class PingedSocket implements Socket {
  readonly #socket: WebSocket
  readonly authenticated: () => void
  readonly #inProgress = new Set<Promise<void>>()
  #answered = true
  #closing = false

  constructor(socket: WebSocket, connection: Duplex) {
    this.#socket = socket
    this.authenticated = this.#limitBytes(connection)
    socket.on('pong', () => (this.#answered = true))
    // The client violated the protocol. The connection is closed already, with a code that says why.
    socket.on('error', () => {})
  }

  get protocol(): string {
    return this.#socket.protocol
  }

  send(text: string): Promise<void> {
    return new Promise((resolve) => {
      // The socket may have closed meanwhile. Listeners learn it from `onClose`.
      if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(text, () => resolve())
      else resolve()
    })
  }

  close(code: number, reason: string): void {
    const { read } = utf8.encodeInto(reason, new Uint8Array(MAX_REASON))
    this.#socket.close(code, reason.slice(0, read))
  }

  onMessage(listener: (text: string) => Promise<void>): void {
    this.#socket.on('message', (data: Buffer) => {
      if (this.#closing) return
      if (this.#inProgress.size >= MAX_IN_PROGRESS || this.#socket.bufferedAmount > MAX_WAITING) {
        this.#closing = true
        this.close(POLICY_VIOLATION, 'Too many messages in progress')
        return
      }
      const progress = listener(data.toString())
      this.#inProgress.add(progress)
      void progress.finally(() => this.#inProgress.delete(progress))
    })
  }

  onClose(listener: (code: number, reason: string) => void): void {
    this.#socket.once('close', (code, reason) => listener(code, reason.toString()))
  }

  end(): void {
    this.#socket.terminate()
  }

  /** @returns a function that lifts the limit. */
  #limitBytes(connection: Duplex): () => void {
    let received = 0
    const count = ({ length }: Buffer) => {
      received += length
      if (received <= MAX_UNAUTHENTICATED) return
      lift()
      this.#closing = true
      this.close(MESSAGE_TOO_BIG, `At most ${MAX_UNAUTHENTICATED} bytes before authentication`)
      this.#socket.pause()
      setTimeout(() => this.end(), LINGER).unref()
    }
    const lift = () => void connection.off('data', count)
    // Runs before the bytes are parsed as messages.
    connection.prependListener('data', count)
    return lift
  }

  /** Closes the connection if the last ping was not answered. */
  ping(): void {
    if (!this.#answered) {
      this.#socket.terminate()
      return
    }
    this.#answered = false
    this.#socket.ping()
  }

  /** Takes no more messages, and closes once those in progress have been processed. */
  async goAway(): Promise<void> {
    this.#closing = true
    const timer = setTimeout(() => this.#socket.terminate(), CLOSE_TIMEOUT)
    this.#socket.once('close', () => clearTimeout(timer))
    await Promise.allSettled(this.#inProgress)
    this.close(GOING_AWAY, 'Going away')
  }
}

/** @returns a function that closes all WebSockets. */
export function acceptWebSockets(server: Server, upgrade: Upgrade): () => void {
  const protocols = new WeakMap<IncomingMessage, string>()
  const sockets = new Set<PingedSocket>()
  const acceptor = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_MESSAGE,
    handleProtocols: (_offered, incoming) => protocols.get(incoming) ?? false,
  })
  const timer = setInterval(() => {
    for (const socket of sockets) socket.ping()
  }, PING_INTERVAL).unref()

  /** Decides on a handshake. Rejects an unreadable handshake, because an error would end the process. */
  function decide(incoming: IncomingMessage): ReturnType<Upgrade> {
    let request: Request
    try {
      request = requestOf(incoming)
    } catch {
      return new Response(null, { status: BAD_REQUEST })
    }
    return upgrade(request, incoming.socket.remoteAddress)
  }

  let isClosing = false

  async function answer(incoming: IncomingMessage, connection: Duplex, head: Buffer): Promise<void> {
    const decision = isWebSocket(incoming) ? await decide(incoming) : undefined
    if (decision === undefined) {
      // Handled as if there were no upgrade header: some clients ask for HTTP/2 in every first request.
      connection.unshift(Buffer.concat([headWithoutUpgrade(incoming), head]))
      server.emit('connection', connection)
      return
    }
    if (decision instanceof Response) {
      refuse(connection, decision)
      return
    }
    if (isClosing) {
      refuse(connection, new Response(null, { status: SERVICE_UNAVAILABLE }))
      return
    }
    const { protocol, open } = decision
    if (protocol !== undefined) protocols.set(incoming, protocol)
    acceptor.handleUpgrade(incoming, connection, head, (opened) => {
      const socket = new PingedSocket(opened, connection)
      sockets.add(socket)
      socket.onClose(() => sockets.delete(socket))
      open(socket)
    })
  }

  server.on('upgrade', (incoming, connection, head) => {
    connection.on('error', () => connection.destroy())
    void answer(incoming, connection, head)
  })

  return () => {
    isClosing = true
    clearInterval(timer)
    for (const socket of sockets) void socket.goAway()
  }
}
