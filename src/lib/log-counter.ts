// Repeated events for the log: reports the first event immediately, and the events of the next minute together.

/** Milliseconds between two reports. */
const INTERVAL = 60_000

export class LogCounter<Event = void> {
  readonly #report: (count: number, last: Event) => void
  #count = 0
  #reportLast = () => {}
  #timer: NodeJS.Timeout | undefined

  /**
   * @param report receives the number of events since the last report, and the latest event. Called at most once a
   *   minute.
   */
  constructor(report: (count: number, last: Event) => void) {
    this.#report = report
  }

  add(event: Event): void {
    this.#count += 1
    this.#reportLast = () => this.#report(this.#count, event)
    if (this.#timer === undefined) this.#tell()
  }

  /** Reports the events that were not reported yet. */
  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#count > 0) this.#reportLast()
    this.#count = 0
  }

  #tell(): void {
    this.#timer = undefined
    if (this.#count === 0) return
    this.#reportLast()
    this.#count = 0
    this.#timer = setTimeout(() => this.#tell(), INTERVAL).unref()
  }
}
