// A line in which work waits for its turn: one piece at a time, in the order of arrival.

const ignore = () => {}

export class Line {
  #last: Promise<unknown> = Promise.resolve()

  /** Begins when all work before has ended, whatever its result. */
  next<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work)
    this.#last = result.then(ignore, ignore)
    return result
  }
}
