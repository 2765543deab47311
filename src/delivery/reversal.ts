// Decides when the lowest priority goes first: now and then, so that a broadcast among many single triggers ends too.

/** One look of so many begins with the lowest priority. */
const ONE_OF = 8

export class Reversal {
  #looks = 0

  /** True if the next look for jobs begins with the lowest priority. */
  next(): boolean {
    this.#looks = (this.#looks + 1) % ONE_OF
    return this.#looks === 0
  }
}
