// Connects node-postgres to PGlite, so that both databases use the same driver, pool and SQL.
import { Duplex } from 'node:stream'
import type { PGliteClient } from './pglite-client.ts'

/** First bytes of messages in PostgreSQL's protocol. */
const TERMINATE = 0x58
const ERROR_RESPONSE = 0x45

/** The severity, as a field of an error message, after which the database cannot be used any more. */
const PANIC = Buffer.from('VPANIC\0')

/**
 * True if an answer contains an error after which the database cannot be used any more, such as a full disk during a
 * commit.
 */
function hasPanic(answer: Buffer): boolean {
  for (let at = 0; at + 5 <= answer.length;) {
    const end = at + 1 + answer.readInt32BE(at + 1)
    if (answer[at] === ERROR_RESPONSE && answer.subarray(at, end).includes(PANIC)) return true
    at = Math.max(end, at + 5)
  }
  return false
}

/** Fails like a refused connection, because the database is unavailable for now. */
class Unopened extends Error {
  readonly code = 'ECONNREFUSED'

  constructor() {
    super('the embedded database is not open')
  }
}

/** A socket for `pg`. Only one may be open per PGlite at a time: the database has a single protocol state. */
export class PGliteStream extends Duplex {
  #database: PGliteClient | undefined
  readonly #onPanic: (error: Error) => void

  /**
   * @param database undefined if it is not open, in which case the connection fails.
   * @param onPanic called if the database cannot be used any more.
   */
  constructor(database: PGliteClient | undefined, onPanic: (error: Error) => void) {
    super()
    this.#database = database
    this.#onPanic = onPanic
  }

  connect(): this {
    queueMicrotask(() => {
      if (this.#database === undefined) this.destroy(new Unopened())
      else this.emit('connect')
    })
    return this
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  override _read(): void {
    // Responses are pushed in _write.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (chunk[0] === TERMINATE || this.#database === undefined) {
      this.push(null)
      done()
      return
    }
    this.#database.execute(chunk).then(
      (answer) => {
        if (answer.length > 0) this.push(answer)
        if (hasPanic(answer)) {
          // The database would not answer further messages, such as a rollback.
          this.#database = undefined
          this.#onPanic(new Error('the database ended itself, such as on a full disk'))
          // Later, so that node-postgres reads the answer first. When the stream closes, it treats the connection as
          // lost.
          setImmediate(() => this.destroy())
        }
        done()
      },
      (thrown: unknown) => {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown))
        this.#database = undefined
        this.#onPanic(error)
        done(error)
      },
    )
  }

  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: (error?: Error | null) => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'binary', done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.push(null)
    done()
  }
}
