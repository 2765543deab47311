// Traces of triggers that created no event, which wait in memory to be written together. Identical ones are merged, and
// the number is limited, so that a caller in a loop takes neither memory nor writes.
import type { UnprocessedTrigger } from './unprocessed-trigger.ts'

/** The maximum number of traces that wait for an environment, and for all environments. */
const MOST_WAITING = { environment: 100, all: 2_000 } as const

export class TriggerTraces {
  #waiting = new Map<string, UnprocessedTrigger>()
  #counts = new Map<string, number>()
  #dropped = 0

  /** Adds a trace, or merges it with an identical one. Drops it if there is no room. */
  add(trace: UnprocessedTrigger): void {
    const { environmentId, fingerprint, count, updatedAt } = trace
    const key = `${environmentId} ${fingerprint}`
    const known = this.#waiting.get(key)
    if (known !== undefined) {
      this.#waiting.set(key, { ...known, count: known.count + count, updatedAt })
      return
    }
    const own = this.#counts.get(environmentId) ?? 0
    if (own >= MOST_WAITING.environment || this.#waiting.size >= MOST_WAITING.all) {
      this.#dropped += 1
      return
    }
    this.#counts.set(environmentId, own + 1)
    this.#waiting.set(key, trace)
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0
  }

  /** Removes and returns all traces, and the number of those for which there was no room. */
  take(): { readonly traces: readonly UnprocessedTrigger[]; readonly dropped: number } {
    const taken = { traces: [...this.#waiting.values()], dropped: this.#dropped }
    this.#waiting = new Map()
    this.#counts = new Map()
    this.#dropped = 0
    return taken
  }
}
