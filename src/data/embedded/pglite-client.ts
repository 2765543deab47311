// PGlite in a thread of its own, so that a slow statement does not block the event loop.
import { Worker } from 'node:worker_threads'
import { threadEntry } from '../../lib/thread-entry.ts'
import type { Report, Request } from './pglite-thread.ts'

const { filename, execArgv } = threadEntry(import.meta.url, 'pglite-thread')

type OnNotification = (channel: string, payload: string) => void

/** Waits for the end of one request. */
interface Waiting {
  readonly resolve: (report: Report) => void
  readonly reject: (error: Error) => void
}

export class PGliteClient {
  readonly #thread: Worker
  readonly #onNotification: OnNotification
  /** The request in progress. There is never more than one. */
  #waiting: Waiting | undefined
  #end: Error | undefined

  private constructor(directory: string, onNotification: OnNotification) {
    this.#onNotification = onNotification
    // The thread must not see the process's configuration, which contains secrets.
    this.#thread = new Worker(filename, { execArgv, env: {}, workerData: { directory } })
    this.#thread.on('message', (report: Report) => this.#receive(report))
    this.#thread.on('error', (error) => this.#fail(error))
    this.#thread.on('exit', () => this.#fail(new Error('the thread of the embedded database ended')))
  }

  /**
   * Opens the database in a directory.
   *
   * @throws Error if it cannot be opened.
   */
  static async open(directory: string, onNotification: OnNotification): Promise<PGliteClient> {
    const client = new PGliteClient(directory, onNotification)
    await client.#wait()
    return client
  }

  /**
   * Executes messages of PostgreSQL's protocol, and returns the answer. Wait for it before the next call.
   *
   * @throws Error if the database failed.
   */
  async execute(messages: Buffer): Promise<Buffer> {
    // A copy to transfer, because the buffer belongs to node-postgres and is part of a larger one.
    const own = new Uint8Array(messages)
    const report = await this.#request(own, [own.buffer])
    if (report.kind !== 'answer') throw new Error(`the embedded database reported "${report.kind}"`)
    const { buffer, byteOffset, byteLength } = report.answer
    return Buffer.from(buffer, byteOffset, byteLength)
  }

  async close(): Promise<void> {
    if (this.#end === undefined) await this.#request('close')
    await this.terminate()
  }

  /** Ends the thread without closing the database. */
  async terminate(): Promise<void> {
    this.#end = new Error('the embedded database is closed')
    await this.#thread.terminate()
  }

  async #request(request: Request, transfer: readonly ArrayBuffer[] = []): Promise<Report> {
    if (this.#end) throw this.#end
    const done = this.#wait()
    this.#thread.postMessage(request, transfer)
    return done
  }

  /** An idle database does not keep the process running. */
  async #wait(): Promise<Report> {
    this.#thread.ref()
    try {
      return await new Promise<Report>((resolve, reject) => {
        this.#waiting = { resolve, reject }
      })
    } finally {
      this.#waiting = undefined
      this.#thread.unref()
    }
  }

  #receive(report: Report): void {
    if (report.kind === 'notification') this.#onNotification(report.channel, report.payload)
    else this.#waiting?.resolve(report)
  }

  #fail(error: Error): void {
    this.#end ??= error
    this.#waiting?.reject(this.#end)
  }
}
