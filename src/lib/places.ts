// Places per key: only a few pieces of work per key are in progress at a time, and others wait.

export class Places {
  readonly #limit: number
  readonly #inUse = new Map<string, number>()
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Resolves with a place, in the order of the calls. */
  async take(key: string): Promise<void> {
    if (this.enterFree(key)) return
    await new Promise<void>((resolve) => {
      const waiting = this.#waiting.get(key)
      if (waiting) waiting.push(resolve)
      else this.#waiting.set(key, [resolve])
    })
  }

  /** Runs `work` with a place, as soon as there is one. */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    await this.take(key)
    try {
      return await work()
    } finally {
      this.leave(key)
    }
  }

  /** Takes a place immediately, even if that exceeds the limit. The next place that is freed is then not passed on. */
  enter(key: string): void {
    this.#inUse.set(key, this.#of(key) + 1)
  }

  /** @returns false if there is no place. */
  enterFree(key: string): boolean {
    const isFree = this.#of(key) < this.#limit
    if (isFree) this.enter(key)
    return isFree
  }

  /** Passes the place on to the next waiting call. */
  leave(key: string): void {
    const inUse = this.#of(key)
    const waiting = inUse > this.#limit ? undefined : this.#waiting.get(key)
    const next = waiting?.shift()
    if (waiting?.length === 0) this.#waiting.delete(key)
    if (next) next()
    else if (inUse > 1) this.#inUse.set(key, inUse - 1)
    else this.#inUse.delete(key)
  }

  #of(key: string): number {
    return this.#inUse.get(key) ?? 0
  }
}
