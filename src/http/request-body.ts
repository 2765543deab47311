// Reads request bodies up to a size limit.
import { Refusal } from '../lib/errors.ts'
import { ClientLeft } from './client-left.ts'

/** Bytes. Fits a bulk of 500 subscribers with data. */
export const MAX_BODY = 4 * 1024 * 1024

/**
 * Reads a request's body.
 *
 * @throws Refusal `PAYLOAD_TOO_LARGE` once more than `MAX_BODY` bytes arrive, whatever Content-Length says.
 * @throws ClientLeft if the client closes the connection before.
 */
export async function readBytes(request: Request): Promise<Buffer<ArrayBuffer>> {
  if (request.body === null) return Buffer.alloc(0)
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY) throw tooLarge()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of received(request.body)) {
    size += chunk.byteLength
    if (size > MAX_BODY) throw tooLarge()
    chunks.push(chunk)
  }
  // What has arrived by then may look complete.
  if (request.signal.aborted) throw new ClientLeft(request.signal.reason)
  return Buffer.concat(chunks)
}

async function* received(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    throw new ClientLeft(error)
  }
}

function tooLarge(): Refusal {
  return new Refusal('PAYLOAD_TOO_LARGE', `The body must be at most ${MAX_BODY} bytes`)
}

/**
 * The same request with its body read into memory and without its signal: an operation runs to its end, whether or not
 * the client waits for it.
 *
 * @returns the request, and the size of its body in bytes. @throws like `readBytes`
 */
export async function withBoundedBody(
  received: Request,
): Promise<{ readonly request: Request; readonly size: number }> {
  const { url, method, headers } = received
  if (received.body === null) return { request: method === 'GET' ? new Request(url, { headers }) : received, size: 0 }
  const body = await readBytes(received)
  return { request: new Request(url, { method, headers, body }), size: body.byteLength }
}
