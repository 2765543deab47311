// The embedded database: PGlite with the extensions that the migrations need, opened again if it fails.
import { PGlite } from '@electric-sql/pglite'
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { statfs } from 'node:fs/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { PGliteStream } from './pglite-stream.ts'

/** Milliseconds between attempts to open a database that failed. */
const REOPEN_DELAY = 1_000

/** Bytes that must be free on the disk: the next segment of the write-ahead log needs as many. */
const MIN_FREE = 16 * 1024 * 1024

/** @param directory where the data is stored; in memory if omitted. */
export function openEmbedded(directory?: string): Promise<PGlite> {
  const extensions = { btree_gin, pg_trgm }
  return directory === undefined ? PGlite.create({ extensions }) : PGlite.create(directory, { extensions })
}

/** Receives what happens to the database. */
interface EmbeddedListener {
  onNotification(channel: string, payload: string): void
  onFail(): void
  onReopen(): void
}

/**
 * An embedded database in a directory. PostgreSQL ends itself if it cannot write its log, such as on a full disk. In
 * process, that leaves a PGlite that never answers: it is replaced by a new one, as soon as there is space.
 */
export class EmbeddedDatabase {
  readonly #directory: string
  readonly #logger: Pick<Logger, 'info' | 'warn'>
  readonly #listeners = new Set<EmbeddedListener>()
  #database: PGlite | undefined
  #timer: NodeJS.Timeout | undefined
  #reopening: Promise<void> = Promise.resolve()
  #isClosed = false

  private constructor(directory: string, logger: Pick<Logger, 'info' | 'warn'>, database: PGlite) {
    this.#directory = directory
    this.#logger = logger
    this.#use(database)
  }

  static async open(directory: string, logger: Pick<Logger, 'info' | 'warn'>): Promise<EmbeddedDatabase> {
    return new EmbeddedDatabase(directory, logger, await openEmbedded(directory))
  }

  /**
   * A pool over the only connection. The user must be `postgres`: PGlite exits with any other.
   *
   * @param timeout time to wait for the connection while it is in use, in milliseconds.
   */
  createPool(timeout: number): pg.Pool {
    return new pg.Pool({
      user: 'postgres',
      database: 'postgres',
      max: 1,
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: timeout,
      stream: () => {
        const database = this.#database
        return new PGliteStream(database, (error) => this.#fail(database, error))
      },
    })
  }

  /** @returns stops listening. */
  listen(listener: EmbeddedListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** @throws Error if the disk has too little space to write. */
  async assertSpace(): Promise<void> {
    const { bavail, bsize } = await statfs(this.#directory)
    if (bavail * bsize < MIN_FREE) throw new Error(`less than ${MIN_FREE} bytes are free on the disk of the database`)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#reopening
    await this.#database?.close()
  }

  #use(database: PGlite): void {
    this.#database = database
    database.onNotification((channel, payload) => {
      for (const listener of this.#listeners) listener.onNotification(channel, payload)
    })
  }

  #fail(failed: PGlite | undefined, error: Error): void {
    if (failed === undefined || failed !== this.#database) return
    // Not closed: it would wait for an answer.
    this.#database = undefined
    this.#logger.warn({ err: error }, 'embedded database failed')
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
      await this.assertSpace()
      this.#use(await openEmbedded(this.#directory))
    } catch (error) {
      this.#logger.warn({ err: error, retryInMs: REOPEN_DELAY }, 'embedded database cannot be opened')
      this.#reopenLater()
      return
    }
    this.#logger.info('embedded database opened again')
    for (const listener of this.#listeners) listener.onReopen()
  }
}
