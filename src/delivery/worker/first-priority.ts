// Decides which priority goes first: the highest as a rule, and each of the others now and then, so that none is starved.
import { priorities, type Priority } from '../../data/queue/job.ts'

/** The number of queries of the queue among which one begins with each of the lower priorities. */
const LOOKS = 8

/** The looks that do not begin with the highest priority, evenly spread. */
const exceptions: ReadonlyMap<number, Priority> = new Map([
  [LOOKS / 2, priorities.single],
  [LOOKS, priorities.fanOut],
])

export class FirstPriority {
  #looks = 0

  /** The priority that goes first in the next look for jobs. The others follow in their order. */
  next(): Priority {
    this.#looks = (this.#looks % LOOKS) + 1
    return exceptions.get(this.#looks) ?? priorities.critical
  }
}
