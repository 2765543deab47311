// Requests that Node cannot read: what is sent back when there is no request to answer.
import { type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

interface ReadError extends NodeJS.ErrnoException {
  /** The piece in which reading stopped, and how much of it was read. */
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

/**
 * How long a connection stays open for what the client still sends, in milliseconds. Closed at once it would be reset,
 * and the answer lost.
 */
const LINGER = 2_000

/** As Node has them when nobody listens. */
const statuses: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
}

/**
 * Whether the head passed the limit inside its first line, which holds the target. Node does not say: but then the
 * last piece has no end of a line in what was read of it. One header as long as that is taken for a target too.
 */
function isLongTarget({ code, rawPacket, bytesParsed }: ReadError): boolean {
  return code === 'HPE_HEADER_OVERFLOW' && rawPacket?.subarray(0, bytesParsed).includes('\n') === false
}

function bare(status: number): Response {
  return new Response(null, { status })
}

async function bytesOf(response: Response): Promise<Buffer> {
  const body = Buffer.from(await response.arrayBuffer())
  const headers = [...response.headers, ['content-length', String(body.byteLength)], ['connection', 'close']]
  const lines = [
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ''}`,
    ...headers.map((header) => header.join(': ')),
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body])
}

/**
 * Answers what cannot be read with its status alone, and closes the connection. A target too long to be read is
 * answered by `refuseTarget` instead (SPEC: Errors, 414).
 */
export function answerUnreadable(server: Server, refuseTarget: () => Response | Promise<Response>): void {
  // What still comes over the connection fails again, while the answer is on its way.
  const answered = new WeakSet<Duplex>()
  server.on('clientError', (error: ReadError, socket) => {
    if (answered.has(socket)) return
    answered.add(socket)
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    Promise.resolve(isLongTarget(error) ? refuseTarget() : bare(statuses[error.code ?? ''] ?? 400))
      .then(bytesOf)
      .then(
        (bytes) => {
          socket.end(bytes)
          setTimeout(() => socket.destroy(), LINGER).unref()
        },
        () => socket.destroy(),
      )
  })
}
