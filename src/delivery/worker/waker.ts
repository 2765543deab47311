// A waker wakes loops that wait for work, one loop for each call.

/** A call while no loop waits is remembered: the next loop that would wait looks for work again instead. */
export class Waker {
  readonly #most: number
  readonly #waiting = new Set<() => void>()
  #missed = 0

  /** @param most the number of loops. Further calls are not remembered. */
  constructor(most: number) {
    this.#most = most
  }

  /** Wakes up to `count` loops. */
  wake(count = 1): void {
    for (let left = Math.min(count, this.#most); left > 0; left -= 1) {
      const [next] = this.#waiting
      if (next) next()
      else this.#missed = Math.min(this.#missed + 1, this.#most)
    }
  }

  wakeAll(): void {
    this.wake(this.#most)
  }

  /** Resolves with the next call of `wake`, immediately if a call was missed, or when the signal aborts. */
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
