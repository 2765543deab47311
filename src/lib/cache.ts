// A cache of what is costly to make and always comes out the same: bounded, the least recently used goes first.
export class Cache<Value> {
  readonly #kept = new Map<string, Value>()
  readonly #max: number

  /** @param max how many values are kept */
  constructor(max: number) {
    this.#max = max
  }

  /** The value of this key: the one that is kept, or else the one that `make` gives. Nothing is kept when it throws. */
  get(key: string, make: () => Value): Value {
    const kept = this.#kept.get(key) ?? make()
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    if (this.#kept.size > this.#max) {
      const [oldest = key] = this.#kept.keys()
      this.#kept.delete(oldest)
    }
    return kept
  }
}
