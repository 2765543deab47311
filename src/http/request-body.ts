// Reads request bodies up to a size limit.
import { Refusal } from '../lib/errors.ts'

/** Bytes. Fits a bulk of 500 subscribers with data. */
export const MAX_BODY = 4 * 1024 * 1024

/**
 * Reads a request's body.
 *
 * @throws Refusal `PAYLOAD_TOO_LARGE` once more than `MAX_BODY` bytes arrive, whatever Content-Length says.
 */
export async function readBytes(request: Request): Promise<Buffer<ArrayBuffer>> {
  if (request.body === null) return Buffer.alloc(0)
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY) throw tooLarge()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body) {
    size += chunk.byteLength
    if (size > MAX_BODY) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function tooLarge(): Refusal {
  return new Refusal('PAYLOAD_TOO_LARGE', `The body must be at most ${MAX_BODY} bytes`)
}

/** The same request with its body read into memory. @throws like `readBytes` */
export async function withBoundedBody(request: Request): Promise<Request> {
  if (request.body === null) return request
  const { url, method, headers, signal } = request
  return new Request(url, { method, headers, signal, body: await readBytes(request) })
}
