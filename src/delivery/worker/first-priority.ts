// Decides which priority goes first: usually the highest, and now and then each of the others, so that none is starved.
import { priorities, type Priority } from '../../data/queue/job.ts'

/** Each lower priority goes first in one of this many looks. */
const LOOKS = 8

/** The looks that begin with a lower priority, evenly spread. */
const exceptions: ReadonlyMap<number, Priority> = new Map([
  [LOOKS / 2, priorities.single],
  [LOOKS, priorities.fanOut],
])

export class FirstPriority {
  #looks = 0

  /** Returns the priority that goes first in the next look for jobs. The others follow in their order. */
  next(): Priority {
    this.#looks = (this.#looks % LOOKS) + 1
    return exceptions.get(this.#looks) ?? priorities.critical
  }
}
