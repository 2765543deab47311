// Limits on what callers keep open, counted per environment and for the process.
import { Refusal } from './errors.ts'

export interface StreamLimits {
  readonly environment: number
  readonly process: number
}

export const defaultStreamLimits: StreamLimits = { environment: 1_000, process: 10_000 }

/** Seconds after which a caller over a limit may try again. */
const RETRY_AFTER = 10

/** Counts open streams or connections. */
export class OpenCount {
  readonly #limits: StreamLimits
  readonly #what: string
  readonly #byEnvironment = new Map<string, number>()
  #all = 0

  /** @param what the counted objects, in the plural. */
  constructor(limits: StreamLimits, what: string) {
    this.#limits = limits
    this.#what = what
  }

  /**
   * Counts one more. @returns a function that ends it, to be called once. @throws Refusal `TOO_MANY_STREAMS` over a
   * limit
   */
  add(environmentId: string): () => void {
    const own = this.#byEnvironment.get(environmentId) ?? 0
    if (own >= this.#limits.environment) throw this.#tooMany('The environment', this.#limits.environment)
    if (this.#all >= this.#limits.process) throw this.#tooMany('The gateway', this.#limits.process)
    this.#all += 1
    this.#byEnvironment.set(environmentId, own + 1)
    return () => {
      this.#all -= 1
      const left = (this.#byEnvironment.get(environmentId) ?? 1) - 1
      if (left > 0) this.#byEnvironment.set(environmentId, left)
      else this.#byEnvironment.delete(environmentId)
    }
  }

  #tooMany(whose: string, limit: number): Refusal {
    const message = `${whose} has ${limit} open ${this.#what}, which is the maximum. Close one, or try again later.`
    return new Refusal('TOO_MANY_STREAMS', message, { retryAfter: RETRY_AFTER, ctx: { limit } })
  }
}
