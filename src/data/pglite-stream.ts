// Connects node-postgres to PGlite in process, so that both databases use the same driver, pool and SQL.
import { Duplex } from 'node:stream'
import type { PGlite } from '@electric-sql/pglite'

/** First byte of the Terminate message in PostgreSQL's protocol. */
const TERMINATE = 0x58

/** A socket for `pg`. Only one may be open per PGlite at a time: the database has a single protocol state. */
export class PGliteStream extends Duplex {
  readonly #database: PGlite

  constructor(database: PGlite) {
    super()
    this.#database = database
  }

  connect(): this {
    queueMicrotask(() => this.emit('connect'))
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
    if (chunk[0] === TERMINATE) {
      this.push(null)
      done()
      return
    }
    this.#database.execProtocolRaw(chunk, { syncToFs: true }).then(
      (answer) => {
        if (answer.length > 0) this.push(Buffer.from(answer))
        // PGlite answers without yielding. Without a turn of the event loop, a caller that sends one statement after
        // the other, such as the worker, would block all requests.
        setImmediate(done)
      },
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
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
