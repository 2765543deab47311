// A cache of what is costly to make out of a text and always comes out the same: bounded, the least recently used goes.
export class Cache<Value> {
  readonly #kept = new Map<string, Value>()
  readonly #room: number
  #taken = 0

  /** @param room how many characters the texts may have together: what is made of a long one is large */
  constructor(room: number) {
    this.#room = room
  }

  /** What is made of this text: what is kept of it, or else what `make` gives. Nothing is kept when it throws. */
  get(text: string, make: () => Value): Value {
    const value = this.#kept.get(text) ?? make()
    if (this.#kept.delete(text)) this.#taken -= text.length
    this.#kept.set(text, value)
    this.#taken += text.length
    for (const oldest of this.#kept.keys()) {
      if (this.#taken <= this.#room) break
      this.#kept.delete(oldest)
      this.#taken -= oldest.length
    }
    return value
  }
}
