// Wakes the message loop when integrations with a rate limit have tokens again. Between two times, nothing is read.

/** Milliseconds after which the watch for jobs finds due messages anyway. */
const LATEST = 1_100

/** Milliseconds added to each pause, because a timer may fire early and clocks differ. */
const MARGIN = 2

export class TokenTimer {
  readonly #wake: () => void
  readonly #timers = new Set<NodeJS.Timeout>()
  /** The pause of the timer that fired last, until the next look. */
  #fired: number | undefined

  constructor(wake: () => void) {
    this.#wake = wake
  }

  /**
   * Plans the next looks after a look for messages. If a timer led to that look and another process was faster, the
   * next one follows after twice the pause.
   *
   * @param pauses the milliseconds until buckets that were drawn have tokens again.
   */
  looked(pauses: readonly number[]): void {
    const fired = this.#fired
    this.#fired = undefined
    if (pauses.length > 0) for (const pause of pauses) this.#plan(pause)
    else if (fired !== undefined && this.#timers.size === 0) this.#plan(fired * 2)
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    this.#fired = undefined
  }

  #plan(pause: number): void {
    if (pause > LATEST) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.#fired = Math.max(pause, MARGIN)
      this.#wake()
    }, pause + MARGIN)
    timer.unref()
    this.#timers.add(timer)
  }
}
