// Work that a process repeats in the background, one performance at a time.
export class Periodic {
  readonly #stopping = new AbortController()
  readonly #interval: number
  readonly #work: () => Promise<unknown>
  readonly #onError: (error: unknown) => void
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> | undefined

  /** @param interval milliseconds between two looks whether there is work. */
  constructor(interval: number, work: () => Promise<unknown>, onError: (error: unknown) => void) {
    this.#interval = interval
    this.#work = work
    this.#onError = onError
  }

  /** Aborted once the work is to end. */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#working ??= this.#work()
        .then(() => {}, this.#onError)
        .finally(() => (this.#working = undefined))
    }, this.#interval).unref()
  }

  /** Resolves when the database may be closed. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    clearInterval(this.#timer)
    await this.#working
  }
}
