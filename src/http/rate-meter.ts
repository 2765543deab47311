// Rate limiting of one request.
import type { Rate } from '../domain/resolver/resolver.ts'
import type { Caller } from '../domain/resolver/caller.ts'
import type { Refusal } from '../lib/errors.ts'
import type { Headed } from './plain-response.ts'
import { type Drawn, ordinaryRate, type RateLimiter } from './rate-limit.ts'

/** Draws once per request: as soon as its calls are known, or with the response. */
export class RateMeter {
  readonly #limiter: RateLimiter
  readonly #address: string | undefined
  #environmentId: string | undefined
  #drawn: Drawn | undefined

  /** @param address the client's address, which is charged until the caller is authenticated. */
  constructor(limiter: RateLimiter, address: string | undefined) {
    this.#limiter = limiter
    this.#address = address
  }

  /**
   * Charges the caller's environment from now on. Public and anonymous callers are still charged by address, because
   * they have no valid credentials.
   */
  identify(caller: Caller): void {
    if (caller.kind !== 'public' && caller.kind !== 'anonymous') this.#environmentId = caller.environmentId
  }

  /**
   * Draws the cost of the request's calls, unless it was drawn already.
   * @throws Refusal `RATE_LIMITED`
   */
  draw(calls: readonly [Rate, ...Rate[]]): void {
    if (this.#drawn !== undefined) return
    this.#drawn = this.#take(calls)
    if (this.#drawn.refusal !== undefined) throw this.#drawn.refusal
  }

  /**
   * Adds the headers to a response. If the calls were still unknown, draws one ordinary call now. If the limit is
   * exceeded, the response comes from `refused` instead.
   */
  settle<Answer extends Headed>(answer: Answer, refused: (refusal: Refusal) => Answer): Answer {
    const { headers, refusal } = this.#drawn ?? this.#take([ordinaryRate])
    const settled = refusal === undefined ? answer : refused(refusal)
    for (const [name, value] of Object.entries(headers)) settled.headers.set(name, value)
    return settled
  }

  #take(calls: readonly [Rate, ...Rate[]]): Drawn {
    return this.#environmentId === undefined
      ? this.#limiter.drawAsStranger(this.#address, calls)
      : this.#limiter.draw(this.#environmentId, calls)
  }
}
