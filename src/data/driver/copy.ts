// COPY over a connection of node-postgres. A library would wait for the server's response before it sends rows. The
// embedded database cannot send one, because it reads a statement and its rows in one piece.
import type pg from 'pg'

/** First bytes of messages in PostgreSQL's protocol. */
const QUERY = 0x51
const COPY_DATA = 0x64
const COPY_DONE = 0x63

function message(type: number, ...parts: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt8(type)
  head.writeInt32BE(4 + parts.reduce((sum, part) => sum + part.length, 0), 1)
  return Buffer.concat([head, ...parts])
}

/** One COPY statement, with the methods that node-postgres calls. */
class Copy implements pg.Submittable {
  readonly done: Promise<void>
  readonly #sql: string
  readonly #rows: Buffer | undefined
  readonly #onRow: (row: Buffer) => void
  #resolve: () => void = () => {}
  #reject: (error: Error) => void = () => {}

  /** @param rows the input of COPY FROM STDIN. Undefined for COPY TO STDOUT. */
  constructor(sql: string, rows: Buffer | undefined, onRow: (row: Buffer) => void = () => {}) {
    this.#sql = sql
    this.#rows = rows
    this.#onRow = onRow
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  submit({ stream }: pg.Connection): void {
    const query = message(QUERY, Buffer.from(`${this.#sql}\0`))
    const rows = this.#rows === undefined ? [] : [message(COPY_DATA, this.#rows), message(COPY_DONE)]
    stream.write(Buffer.concat([query, ...rows]))
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    this.#onRow(chunk)
  }

  handleError(error: Error): void {
    this.#reject(error)
  }

  handleReadyForQuery(): void {
    this.#resolve()
  }

  handleCopyInResponse(): void {
    // The rows are already sent.
  }

  handleCommandComplete(): void {
    // The statement ends with `handleReadyForQuery`.
  }
}

/**
 * Runs COPY ... TO STDOUT.
 *
 * @param sql with its label.
 * @param onRow receives each row in text format, with its line feed. Its bytes are only valid during the call.
 */
export async function copyOut(connection: pg.ClientBase, sql: string, onRow: (row: Buffer) => void): Promise<void> {
  await connection.query(new Copy(sql, undefined, onRow)).done
}

/** Runs COPY ... FROM STDIN. @param sql with its label. @param rows in text format, each with its line feed. */
export async function copyIn(connection: pg.ClientBase, sql: string, rows: Buffer): Promise<void> {
  await connection.query(new Copy(sql, rows)).done
}
