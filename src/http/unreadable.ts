// Responses to requests that Node cannot parse.
import { type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

interface ReadError extends NodeJS.ErrnoException {
  /** The chunk in which parsing stopped, and how many of its bytes were parsed. */
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

/**
 * How long a connection stays open while the client still sends, in milliseconds. Closing at once would reset it and
 * lose the response.
 */
const LINGER = 2_000

/** Node's own statuses for these errors. */
const statuses: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
}

/**
 * True if the request line, which contains the target, exceeded the limit. Node does not say so, but then the parsed
 * part of the last chunk has no line break. A single header of that length also counts as a long target.
 */
function isLongTarget({ code, rawPacket, bytesParsed }: ReadError): boolean {
  return code === 'HPE_HEADER_OVERFLOW' && rawPacket?.subarray(0, bytesParsed).includes('\n') === false
}

function bare(status: number): Response {
  return new Response(null, { status })
}

/** A raw response. The connection closes after it. */
export async function bytesOf(response: Response): Promise<Buffer> {
  const body = Buffer.from(await response.arrayBuffer())
  const headers = [...response.headers, ['content-length', String(body.byteLength)], ['connection', 'close']]
  const lines = [
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ''}`,
    ...headers.map((header) => header.join(': ')),
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body])
}

/**
 * Responds to an unreadable request with just a status and closes the connection. A target that is too long gets the
 * response of `refuseTarget` instead (SPEC: Errors, 414).
 */
export function answerUnreadable(server: Server, refuseTarget: () => Response | Promise<Response>): void {
  // Data that is still arriving causes further errors before the response is sent.
  const answered = new WeakSet<Duplex>()
  server.on('clientError', (error: ReadError, socket) => {
    if (answered.has(socket)) return
    answered.add(socket)
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    Promise.resolve(error)
      .then((read) => (isLongTarget(read) ? refuseTarget() : bare(statuses[read.code ?? ''] ?? 400)))
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
