// The embedded database, opened again if it fails.
import { statfs } from 'node:fs/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { watchConnections } from '../driver/outage.ts'
import { PGliteClient } from './pglite-client.ts'
import { PGliteStream } from './pglite-stream.ts'
import { beginSession } from '../statement/statement-names.ts'

/** Milliseconds between attempts to open a database that failed. */
const REOPEN_DELAY = 1_000

/** Bytes that must be free on the disk. The next segment of the write-ahead log needs as many. */
const MIN_FREE = 16 * 1024 * 1024

/** Milliseconds to wait for the connection to a database that was just opened. */
const OPENING_TIMEOUT = 60_000

/** The free space on the disk of a directory, in bytes. */
export async function freeSpaceIn(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}

/** Receives events of the database. */
interface EmbeddedListener {
  onNotification(channel: string, payload: string): void
  onFail(): void
  onReopen(): void
}

/**
 * An embedded database in a directory. PostgreSQL ends itself if it cannot write its log, for example on a full disk.
 * PGlite then never answers again, so it is replaced by a new instance as soon as there is space.
 */
export class EmbeddedDatabase {
  readonly #directory: string
  readonly #logger: Pick<Logger, 'info' | 'warn'>
  readonly #listeners = new Set<EmbeddedListener>()
  #database: PGliteClient | undefined
  #timer: NodeJS.Timeout | undefined
  #terminating: Promise<void> = Promise.resolve()
  #reopening: Promise<void> = Promise.resolve()
  #isClosed = false
  /** True if the log already says why the database cannot be opened again. */
  #hasReported = false

  private constructor(directory: string, logger: Pick<Logger, 'info' | 'warn'>) {
    this.#directory = directory
    this.#logger = logger
  }

  static async open(directory: string, logger: Pick<Logger, 'info' | 'warn'>): Promise<EmbeddedDatabase> {
    const embedded = new EmbeddedDatabase(directory, logger)
    await embedded.#open()
    return embedded
  }

  /**
   * Opens the database in a directory for `work` alone, on its only connection, and closes it.
   *
   * @param work receives a function that ends the database immediately, together with the statement in progress. Use
   *   it only if the folder is deleted afterwards.
   */
  static async use<Result>(
    directory: string,
    logger: Pick<Logger, 'info' | 'warn'>,
    work: (connection: pg.ClientBase, abandon: () => void) => Promise<Result>,
  ): Promise<Result> {
    const embedded = await EmbeddedDatabase.open(directory, logger)
    const pool = embedded.createPool(OPENING_TIMEOUT, false)
    watchConnections(pool, logger)
    try {
      const connection = await pool.connect()
      return await work(connection, () => embedded.#abandon()).finally(() => connection.release())
    } finally {
      await pool.end()
      await embedded.close()
    }
  }

  /**
   * A pool with the only connection. The user must be `postgres`, because PGlite exits with any other.
   *
   * @param timeout milliseconds to wait for the connection while it is in use.
   * @param pipeline true if the parts of a transaction may send statements without waiting for each other. COPY is not
   *   possible then.
   */
  createPool(timeout: number, pipeline: boolean): pg.Pool {
    return new pg.Pool({
      user: 'postgres',
      database: 'postgres',
      max: 1,
      pipeline,
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: timeout,
      verify: beginSession,
      stream: () => {
        const database = this.#database
        return new PGliteStream(database, (error) => this.#fail(database, error))
      },
    })
  }

  /** @returns a function that stops listening. */
  listen(listener: EmbeddedListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** @throws Error if the disk has too little space to write. */
  async assertSpace(): Promise<void> {
    if ((await freeSpaceIn(this.#directory)) < MIN_FREE)
      throw new Error(`less than ${MIN_FREE} bytes are free on the disk of the database`)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await Promise.all([this.#terminating, this.#reopening])
    await this.#database?.close()
  }

  async #open(): Promise<void> {
    this.#database = await PGliteClient.open(this.#directory, (channel, payload) => {
      for (const listener of this.#listeners) listener.onNotification(channel, payload)
    })
  }

  #abandon(): void {
    const database = this.#database
    if (database === undefined) return
    this.#isClosed = true
    this.#database = undefined
    this.#terminating = database.terminate()
  }

  #fail(failed: PGliteClient | undefined, error: Error): void {
    if (failed === undefined || failed !== this.#database) return
    this.#database = undefined
    // Not closed, because closing would wait for an answer. It must have ended before the directory is opened again.
    this.#terminating = failed.terminate()
    this.#logger.warn({ err: error }, 'embedded database failed')
    this.#hasReported = false
    for (const listener of this.#listeners) listener.onFail()
    this.#reopenLater()
  }

  #reopenLater(): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#reopening = this.#reopen()
    }, REOPEN_DELAY)
  }

  async #reopen(): Promise<void> {
    try {
      await this.#terminating
      await this.assertSpace()
      await this.#open()
    } catch (error) {
      // Logged once, because opening is attempted every few seconds.
      if (!this.#hasReported) this.#logger.warn({ err: error }, 'embedded database cannot be opened')
      this.#hasReported = true
      this.#reopenLater()
      return
    }
    this.#logger.info('embedded database opened again')
    for (const listener of this.#listeners) listener.onReopen()
  }
}
