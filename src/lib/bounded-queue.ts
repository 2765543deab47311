// A bounded queue with many producers and one consumer, which takes everything that has arrived or waits.

interface BoundedQueueOptions {
  /** Maximum number of waiting items. A full queue closes itself with the error of `overflow`. */
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

  /** Closes the queue and drops its items. @param reason the error that `take` throws. Absent for a normal end. */
  close(reason?: Error): void {
    if (this.#closed) return
    this.#closed = { reason }
    this.#items = []
    this.#options.onClose()
    this.#wake()
  }

  /** Takes all items, at least one. Waits if there are none. Undefined once the queue is closed. @throws the reason */
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
   * Returns a stream of `items`, which must read from this queue. Leaving the stream closes the queue immediately: a
   * generator alone would end only after the next item.
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
