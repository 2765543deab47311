// node-postgres speaking to PGlite in process, so that one driver, one pool and the same SQL serve both databases.
import { Duplex } from 'node:stream'
import type { PGlite } from '@electric-sql/pglite'

/** First byte of the protocol's Terminate message. */
const TERMINATE = 0x58

/** What `pg` takes for a socket. Only one may be open on a PGlite at a time: its protocol state is the database's. */
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
    // Answers are pushed as they come.
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
        // PGlite answers without ever waiting for anything. Without a turn of the loop, whoever sends one statement after
        // the other, as the worker does, would keep the process from hearing requests for as long as there is work.
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
