// Reads request bodies up to a size limit.
import { Refusal } from '../lib/errors.ts'
import { ClientLeft } from './client-left.ts'

/** Bytes. Fits a bulk of 500 subscribers with data. */
export const MAX_BODY = 4 * 1024 * 1024

/**
 * Reads a request's body. GET and HEAD have none.
 *
 * @param max the size limit in bytes.
 * @throws Refusal `PAYLOAD_TOO_LARGE` once more than `max` bytes arrive, whatever Content-Length says.
 * @throws ClientLeft if the client closes the connection before.
 */
export async function readBytes(request: Request, max = MAX_BODY): Promise<Buffer<ArrayBuffer>> {
  if (request.method === 'GET' || request.method === 'HEAD') return Buffer.alloc(0)
  const length = request.headers.get('content-length')
  if (Number(length ?? 0) > max) throw tooLarge(max)
  // On a connection, Node reads as many bytes as Content-Length says, so nothing must be counted. Reading the body at
  // once avoids a stream, which takes longer than most requests.
  if (length !== null) return readWhole(request, max)
  const bytes = await readStream(request, max)
  // What has arrived by then may look complete.
  if (request.signal.aborted) throw new ClientLeft(request.signal.reason)
  return bytes
}

async function readWhole(request: Request, max: number): Promise<Buffer<ArrayBuffer>> {
  const bytes = await request.arrayBuffer().catch((error: unknown) => {
    throw new ClientLeft(error)
  })
  // Without a connection, the header may say anything.
  if (bytes.byteLength > max) throw tooLarge(max)
  return Buffer.from(bytes)
}

async function readStream({ body }: Request, max: number): Promise<Buffer<ArrayBuffer>> {
  if (body === null) return Buffer.alloc(0)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of received(body)) {
    size += chunk.byteLength
    if (size > max) throw tooLarge(max)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function* received(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    throw new ClientLeft(error)
  }
}

function tooLarge(max: number): Refusal {
  return new Refusal('PAYLOAD_TOO_LARGE', `The body must be at most ${max} bytes`)
}

const utf8 = new TextDecoder()

/** A request whose body is in memory, and is read from there without a stream, any number of times. */
class BufferedRequest extends Request {
  readonly #text: () => string

  constructor({ url, method, headers }: Request, text: () => string) {
    super(url, { method, headers })
    this.#text = text
  }

  override text(): Promise<string> {
    return Promise.resolve(this.#text())
  }

  override async json(): Promise<unknown> {
    return JSON.parse(await this.text()) as unknown
  }
}

/** The body of a request. */
export interface BodyInMemory {
  /** In bytes. */
  readonly size: number
  readonly text: () => string
  /**
   * Creates the request with this body, to be read as text or JSON, and without its signal: an operation runs to its end,
   * whether or not the client waits for it. It takes longer than many operations.
   */
  readonly toRequest: () => Request
}

/** Reads the body of a GET or POST request into memory. Other methods have no operation. @throws like `readBytes` */
export async function readIntoMemory(received: Request, max = MAX_BODY): Promise<BodyInMemory> {
  const { url, method, headers } = received
  if (method === 'GET') return { size: 0, text: () => '', toRequest: () => new Request(url, { headers }) }
  if (method !== 'POST') return { size: 0, text: () => '', toRequest: () => received }
  const body = await readBytes(received, max)
  const text = () => utf8.decode(body)
  return { size: body.byteLength, text, toRequest: () => new BufferedRequest(received, text) }
}
