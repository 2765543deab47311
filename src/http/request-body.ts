// Reads request bodies up to a size limit, and rejects bodies that stop arriving.
import { ArrivingBytes } from '../lib/bytes/arriving-bytes.ts'
import { Refusal } from '../lib/errors.ts'
import { once } from './once.ts'
import { BodyBudget, type BodyShare, type BodySender, isStranger } from './body-budget.ts'
import { ClientLeft } from './client-left.ts'
import { ValueCount } from './value-count.ts'

/** Bytes. Fits a bulk of 500 subscribers with data. */
export const MAX_BODY = 4 * 1024 * 1024
/**
 * Maximum body in bytes of callers that have no credentials, or only the public identifier of an environment. They can
 * only open sessions.
 */
export const MAX_PUBLIC_BODY = 512 * 1024

/** Bodies up to this size, in bytes, are neither counted nor held against a budget. Nearly all are smaller. */
const SMALL_BODY = 16 * 1024

/** A body must send this many bytes within this many milliseconds, except for its last part. */
const STALL = { time: 30_000, bytes: 64 * 1024 } as const

/** Checks that a body keeps arriving. */
export class BodyProgress {
  #recent = 0
  readonly #timer: NodeJS.Timeout

  /** @param stalled is called with the error when the body stalls. */
  constructor(stalled: (error: Refusal) => void) {
    this.#timer = setInterval(() => {
      if (this.#recent < STALL.bytes) stalled(stalledBody())
      this.#recent = 0
    }, STALL.time)
  }

  arrived(bytes: number): void {
    this.#recent += bytes
  }

  end(): void {
    clearInterval(this.#timer)
  }
}

/**
 * Calls back for bodies that do not arrive together with the head of their request. All others need neither a timer nor
 * a place.
 */
class Arrivals {
  #expected = new Set<() => void>()

  /** @param late is called after this turn of the event loop, unless the body was forgotten before. */
  expect(late: () => void): void {
    if (this.#expected.size === 0) setImmediate(() => this.#endTurn())
    this.#expected.add(late)
  }

  forget(late: () => void): void {
    this.#expected.delete(late)
  }

  #endTurn(): void {
    const missing = this.#expected
    this.#expected = new Set()
    for (const late of missing) late()
  }
}

function stalledBody(): Refusal {
  const message = `The body must arrive within ${STALL.time / 1000} seconds, a large one at ${STALL.bytes} bytes in that time`
  return new Refusal('REQUEST_TIMEOUT', message)
}

export function tooLarge(max: number): Refusal {
  return new Refusal('PAYLOAD_TOO_LARGE', `The body must be at most ${max} bytes`)
}

const nothing = Buffer.alloc(0)

const utf8 = new TextDecoder()

/** A request whose body is in memory and can be read any number of times, without a stream. */
class BufferedRequest extends Request {
  readonly #body: Pick<BodyInMemory, 'text' | 'json'>

  constructor({ url, method, headers }: Request, body: Pick<BodyInMemory, 'text' | 'json'>) {
    super(url, { method, headers })
    this.#body = body
  }

  override text(): Promise<string> {
    return Promise.resolve(this.#body.text())
  }

  override json(): Promise<unknown> {
    return Promise.resolve().then(() => this.#body.json())
  }
}

/** The body of a request. */
export interface BodyInMemory {
  /** In bytes. */
  readonly size: number
  readonly text: () => string
  /** The parsed body, which must not be changed. @throws SyntaxError */
  readonly json: () => unknown
  /**
   * Creates a request with this body, which can be read as text or JSON. It has no signal, because an operation
   * completes even if the client leaves. Creating it takes longer than many operations.
   */
  readonly toRequest: () => Request
  /** Frees the memory of the body for others. */
  readonly release: () => void
}

/** The bytes of a body, until it is released. */
export interface HeldBody {
  readonly bytes: Buffer<ArrayBuffer>
  readonly release: () => void
}

/** Reads the bodies of a process. */
export class BodyReader {
  readonly #budget = new BodyBudget()
  readonly #arrivals = new Arrivals()

  /**
   * Reads a request's body. It must be released, unless this fails. GET and HEAD have none.
   *
   * @param max the size limit in bytes. By default that of the caller.
   * @param isCounted false if the values of the body are counted later.
   * @throws Refusal `PAYLOAD_TOO_LARGE` once more than `max` bytes arrive, whatever Content-Length says; `REQUEST_TIMEOUT`
   *   if it stalls; `RATE_LIMITED` if too many bodies are being received; `MALFORMED` if a large one has too many values.
   * @throws ClientLeft if the client closes the connection before.
   */
  async read(request: Request, sender: BodySender, max = maxBodyOf(sender), isCounted = true): Promise<HeldBody> {
    if (request.method === 'GET' || request.method === 'HEAD') return { bytes: nothing, release: () => {} }
    const header = request.headers.get('content-length')
    const length = header === null ? undefined : Number(header)
    if (length !== undefined && length > max) throw tooLarge(max)
    // On a connection, Node reads exactly as many bytes as Content-Length says, so they need not be counted. Reading
    // the body at once avoids a stream, which takes longer than most requests.
    if (length !== undefined && length <= SMALL_BODY)
      return { bytes: await this.#readWhole(request, sender, max), release: () => {} }
    const share = this.#budget.shareOf(sender)
    try {
      const refusal = share.begin()
      if (refusal) throw refusal
      if (length !== undefined) await share.reserve(length)
      const bytes = await readStream(request, max, length === undefined ? { isCounted, share } : { isCounted, length })
      // A body that was cut off may look complete.
      if (request.signal.aborted) throw new ClientLeft(request.signal.reason)
      share.received(bytes.byteLength)
      return { bytes, release: () => share.release() }
    } catch (error) {
      share.release()
      throw error
    }
  }

  /**
   * Counts a body that someone else reads, as it arrives.
   *
   * @returns a function to call at its end.
   * @throws Refusal `RATE_LIMITED` if too many bodies are being received.
   */
  beginReceiving(sender: BodySender): () => void {
    const share = this.#budget.shareOf(sender)
    const refusal = share.begin()
    if (refusal) throw refusal
    return () => share.release()
  }

  async #readWhole(request: Request, sender: BodySender, max: number): Promise<Buffer<ArrayBuffer>> {
    let share: BodyShare | undefined
    let progress: BodyProgress | undefined
    let late = () => {}
    try {
      const bytes = await new Promise<ArrayBuffer>((resolve, reject) => {
        late = () => {
          share = this.#budget.shareOf(sender)
          const refusal = share.begin()
          if (refusal) reject(refusal)
          else progress = new BodyProgress(reject)
        }
        this.#arrivals.expect(late)
        request.arrayBuffer().then(resolve, (cause: unknown) => reject(new ClientLeft(cause)))
      })
      // Without a connection, the header may be wrong.
      if (bytes.byteLength > max) throw tooLarge(max)
      return Buffer.from(bytes)
    } finally {
      this.#arrivals.forget(late)
      progress?.end()
      share?.release()
    }
  }

  /** Reads the body of a GET or POST request. Requests with other methods contain no operation. @throws like `read` */
  async readOperation(received: Request, sender: BodySender, max?: number): Promise<BodyInMemory> {
    const { url, method, headers } = received
    const none = { size: 0, text: () => '', json: () => undefined, release: () => {} }
    if (method === 'GET') return { ...none, toRequest: () => new Request(url, { headers }) }
    if (method !== 'POST') return { ...none, toRequest: () => received }
    const { bytes, release } = await this.read(received, sender, max)
    const text = once(() => utf8.decode(bytes))
    const json = once(() => JSON.parse(text()) as unknown)
    return {
      size: bytes.byteLength,
      text,
      json,
      toRequest: () => new BufferedRequest(received, { text, json }),
      release,
    }
  }
}

const maxBodyOf = ({ caller }: BodySender): number => (isStranger(caller) ? MAX_PUBLIC_BODY : MAX_BODY)

interface Reading {
  readonly isCounted: boolean
  /** In bytes, as the request says. */
  readonly length?: number
  /** Reserves room for a body of unknown length once it is no longer small. */
  readonly share?: BodyShare
}

async function readStream(
  { body }: Request,
  max: number,
  { isCounted, length, share }: Reading,
): Promise<Buffer<ArrayBuffer>> {
  if (body === null) return nothing
  const reader = body.getReader()
  const values = new ValueCount()
  const bytes = new ArrivingBytes(length)
  let progress: BodyProgress | undefined
  let stall: (error: Refusal) => void = () => {}
  const stalled = new Promise<never>((_resolve, reject) => (stall = reject))
  // The body may stall while no one awaits this promise.
  stalled.catch(() => {})
  try {
    progress = new BodyProgress(stall)
    for (;;) {
      const { done, value } = await Promise.race([reader.read().catch(left), stalled])
      if (done) return bytes.end()
      const wasSmall = bytes.size <= SMALL_BODY
      if (bytes.size + value.byteLength > max) throw tooLarge(max)
      if (isCounted) values.add(value)
      bytes.add(value)
      if (share !== undefined && wasSmall && bytes.size > SMALL_BODY) {
        progress.end()
        await share.reserve(max)
        progress = new BodyProgress(stall)
      }
      progress.arrived(value.byteLength)
    }
  } catch (error) {
    // The client may already have left.
    reader.cancel().catch(() => {})
    throw error
  } finally {
    progress?.end()
  }
}

function left(cause: unknown): never {
  throw new ClientLeft(cause)
}
