// Tracks whether what a process caches may have changed unnoticed.

/** Milliseconds after which a change is known even if the LISTEN connection broke without notice. */
const MAX_AGE = 1_000

/** Tracks whether something may have changed unnoticed, since it was cached or while it was read. */
export class Freshness {
  isListening = true
  #changes = 0
  readonly #catchUp: () => Promise<boolean>
  readonly #stopwatch: () => number
  /** The latest time before which all messages are known to have been received. */
  #certainAt: number
  #ascertaining: Promise<boolean> | undefined

  constructor(catchUp: () => Promise<boolean>, stopwatch: () => number) {
    this.#catchUp = catchUp
    this.#stopwatch = stopwatch
    this.#certainAt = stopwatch()
  }

  /** True if all changes have been received, except possibly those of the last second. */
  get isCertain(): boolean {
    return this.#stopwatch() - this.#certainAt < MAX_AGE
  }

  /**
   * Waits until all changes so far were received, once for all concurrent callers. @returns false if that is not
   * possible.
   */
  ascertain(): Promise<boolean> {
    this.#ascertaining ??= this.#receiveChanges().finally(() => {
      this.#ascertaining = undefined
    })
    return this.#ascertaining
  }

  async #receiveChanges(): Promise<boolean> {
    const before = this.#stopwatch()
    const isCertain = await this.#catchUp()
    if (isCertain) this.#certainAt = before
    return isCertain
  }

  change(): void {
    this.#changes += 1
  }

  /** @returns true if nothing has changed since. */
  begin(): () => boolean {
    const before = this.#changes
    return () => this.isListening && this.#changes === before
  }
}
