// A budget of bytes in memory: work that would exceed it waits, in the order of the calls.

interface Waiting {
  readonly bytes: number
  readonly begin: () => void
}

export class ByteBudget {
  readonly #most: number
  readonly #waiting: Waiting[] = []
  #held = 0

  /** @param most the maximum number of bytes that are held at a time. */
  constructor(most: number) {
    this.#most = most
  }

  /** Runs `work` once there is room for its bytes. Work that needs more than the whole budget runs alone. */
  async run<Result>(bytes: number, work: () => Promise<Result>): Promise<Result> {
    const own = Math.min(bytes, this.#most)
    if (this.#waiting.length === 0 && this.#held + own <= this.#most) this.#held += own
    else await new Promise<void>((begin) => this.#waiting.push({ bytes: own, begin }))
    try {
      return await work()
    } finally {
      this.#held -= own
      this.#next()
    }
  }

  #next(): void {
    for (let first = this.#waiting[0]; first && this.#held + first.bytes <= this.#most; first = this.#waiting[0]) {
      this.#held += first.bytes
      this.#waiting.shift()
      first.begin()
    }
  }
}
