// A bell that wakes loops which wait for work: one loop per ring.

/** Rings while no loop waits are kept, so that the next one that would wait looks again instead. */
export class Bell {
  readonly #most: number
  readonly #waiting = new Set<() => void>()
  #missed = 0

  /** @param most the number of loops. More rings than that are not kept. */
  constructor(most: number) {
    this.#most = most
  }

  /** Wakes up to `count` loops. */
  ring(count = 1): void {
    for (let left = Math.min(count, this.#most); left > 0; left -= 1) {
      const [next] = this.#waiting
      if (next) next()
      else this.#missed = Math.min(this.#missed + 1, this.#most)
    }
  }

  /** Resolves with the next ring, at once if one was missed, or when the signal aborts. */
  wait(signal: AbortSignal): Promise<void> {
    if (this.#missed > 0 || signal.aborted) {
      this.#missed = Math.max(this.#missed - 1, 0)
      return Promise.resolve()
    }
    return new Promise((resolve) => {
      const end = () => {
        this.#waiting.delete(end)
        signal.removeEventListener('abort', end)
        resolve()
      }
      this.#waiting.add(end)
      signal.addEventListener('abort', end)
    })
  }
}
