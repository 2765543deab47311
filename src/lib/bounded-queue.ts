// A bounded queue: many put in, and one takes out all that has come, or waits for it.

export interface BoundedQueueOptions {
  /** How much may wait: a bounded queue that is full closes itself, with `overflow` as the reason. */
  readonly limit: number
  readonly overflow: () => Error
  /** Called once. */
  readonly onClose: () => void
}

export class BoundedQueue<Item> {
  readonly #options: BoundedQueueOptions
  #items: Item[] = []
  #closed: { readonly reason: Error | undefined } | undefined
  #wake = () => {}

  constructor(options: BoundedQueueOptions) {
    this.#options = options
  }

  put(item: Item): void {
    if (this.#closed) return
    if (this.#items.length >= this.#options.limit) {
      this.close(this.#options.overflow())
      return
    }
    this.#items.push(item)
    this.#wake()
  }

  /** Closes the queue and drops its items. @param reason thrown to readers; absent for a normal end. */
  close(reason?: Error): void {
    if (this.#closed) return
    this.#closed = { reason }
    this.#items = []
    this.#options.onClose()
    this.#wake()
  }

  /** All that has come since the last time, at least one; undefined once the queue is closed. @throws its reason */
  async take(): Promise<readonly Item[] | undefined> {
    if (!this.#closed && this.#items.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    if (this.#closed?.reason) throw this.#closed.reason
    if (this.#closed) return undefined
    const taken = this.#items
    this.#items = []
    return taken
  }

  /**
   * Returns a stream of what `items` yields from this queue. Leaving the stream closes the queue at once: a generator
   * alone would end only after the next item.
   */
  stream<Made>(items: AsyncGenerator<Made, void, undefined>): AsyncIterableIterator<Made> {
    return {
      next: () => items.next(),
      return: () => {
        this.close()
        return items.return()
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }
}
