// A serial queue: runs work one piece at a time, in the order of arrival.

const ignore = () => {}

export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs work once all earlier work has ended, whatever its result. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work)
    this.#last = result.then(ignore, ignore)
    return result
  }
}
