// A second entrance to the pool of the embedded database, for background work: requests go first.
import pg from 'pg'

/**
 * How long requests go before background work that waits, as a multiple of how long the last such work took. Even while
 * requests never cease, background work thus has half of the time.
 */
const PRECEDENCE = 1
/** The maximum of that time, in milliseconds: enough for the few statements of a request. */
const LONGEST = 20

type Callback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error | boolean) => void,
) => void

/**
 * Lends the only connection of another pool. One piece of background work at a time stands in that pool's queue, so a
 * statement of a request waits for at most one.
 */
export class BackgroundPool extends pg.Pool {
  readonly #pool: pg.Pool
  readonly #stopwatch: () => number
  /** Work that does not stand in the pool's queue yet, in order. */
  readonly #waiting: Callback[] = []
  /** True while anyone has the connection. */
  #isTaken = false
  /** When background work began to use the connection. Undefined if it does not use it. */
  #since: number | undefined
  /** True while background work stands in the pool's queue or uses the connection. */
  #isAdmitted = false
  /** How long requests go before the next background work. */
  #precedence = 0
  /** Until when they do. */
  #until = -Infinity

  /**
   * @param pool with one connection, which is free.
   * @param stopwatch milliseconds from an arbitrary start.
   */
  constructor(pool: pg.Pool, stopwatch = () => performance.now()) {
    super(pool.options)
    this.#pool = pool
    this.#stopwatch = stopwatch
    pool.on('acquire', () => {
      this.#isTaken = true
    })
    pool.on('release', () => this.#onRelease())
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: Callback): void
  override connect(callback?: Callback): Promise<pg.PoolClient> | void {
    if (callback === undefined) {
      return new Promise((resolve, reject) => {
        this.#enqueue((error, client) =>
          client === undefined ? reject(error ?? new Error('no connection')) : resolve(client),
        )
      })
    }
    this.#enqueue(callback)
  }

  #enqueue(callback: Callback): void {
    if (this.#waiting.length === 0) this.#until = this.#stopwatch() + this.#precedence
    this.#waiting.push(callback)
    this.#admit()
  }

  /** Lets the next work stand in the pool's queue, unless requests go first. */
  #admit(): void {
    // A connection that is taken will be released, which leads here again.
    if (this.#isAdmitted || (this.#isTaken && this.#stopwatch() < this.#until)) return
    const next = this.#waiting.shift()
    if (next === undefined) return
    this.#isAdmitted = true
    this.#pool.connect((error, client, release) => {
      if (client === undefined) this.#isAdmitted = false
      else this.#since = this.#stopwatch()
      next(error, client, release)
      if (client === undefined) this.#admit()
    })
  }

  #onRelease(): void {
    this.#isTaken = false
    const since = this.#since
    if (since !== undefined) {
      const now = this.#stopwatch()
      this.#since = undefined
      this.#isAdmitted = false
      this.#precedence = Math.min(PRECEDENCE * (now - since), LONGEST)
      this.#until = now + this.#precedence
    }
    if (since !== undefined && this.#pool.waitingCount === 0) this.#admit()
    // Later, so that a request can send its next statement first.
    else if (this.#waiting.length > 0) setImmediate(() => this.#admit())
  }
}
