// The one policy of the inbox for what fails: it never gives up, and pauses for longer after each failure.

/** The longest pause between two attempts, in milliseconds. */
const MAX_PAUSE = 60_000

/** The part of a pause that is random, so that the pages do not all return to a gateway at the same moment. */
const JITTER = 0.25

/** Repeats an attempt that ends when something has failed or a stream has ended, until it is stopped. */
export class Persistence {
  readonly #attempt: (signal: AbortSignal) => Promise<void>
  #stopped = false
  #current = new AbortController()
  #wake: () => void = () => undefined

  /** @param attempt must not reject, and must end soon after its signal aborts. */
  constructor(attempt: (signal: AbortSignal) => Promise<void>) {
    this.#attempt = attempt
    void this.#repeat()
  }

  /** Ends the attempt in progress, because something that belongs to it has failed. */
  fail(): void {
    this.#current.abort()
  }

  /** Ends a pause. */
  readonly now = (): void => {
    this.#wake()
  }

  stop(): void {
    this.#stopped = true
    this.fail()
    this.now()
  }

  async #repeat(): Promise<void> {
    for (let failures = 0; ;) {
      const start = performance.now()
      this.#current = new AbortController()
      await this.#attempt(this.#current.signal)
      if (this.#stopped) return
      // A proxy may end each stream at once, so that only an attempt that lasted is a success.
      failures = performance.now() - start > MAX_PAUSE ? 0 : failures + 1
      await this.#pause(Math.min(MAX_PAUSE, 1_000 * 2 ** failures) * (1 - JITTER * Math.random()))
      // An asynchronous call may have changed it during the pause.
      if (this.#isStopped()) return
    }
  }

  #isStopped(): boolean {
    return this.#stopped
  }

  /** Waits, but not longer than until the browser is online again or `now()` is called. */
  async #pause(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
      window.addEventListener('online', this.now)
    })
    window.removeEventListener('online', this.now)
    this.#wake = () => undefined
  }
}
