// What one request draws from the rate limits, from its arrival to its answer.
import type { Rate } from '../domain/resolver.ts'
import type { Caller } from '../domain/scope.ts'
import type { Refusal } from '../lib/errors.ts'
import { type Drawn, ordinaryRate, type RateLimiter } from './rate-limit.ts'

/** A request draws once: when it is known what it calls, or else when it is answered. */
export class RateMeter {
  readonly #limiter: RateLimiter
  readonly #address: string | undefined
  #environmentId: string | undefined
  #drawn: Drawn | undefined

  /** @param address of the client, as the connection says: it counts until the caller has shown who it is. */
  constructor(limiter: RateLimiter, address: string | undefined) {
    this.#limiter = limiter
    this.#address = address
  }

  /** The caller has shown who it is. What an environment is called in public shows nothing. */
  identify(caller: Caller): void {
    if (caller.kind !== 'public') this.#environmentId = caller.environmentId
  }

  /**
   * Draws what the request calls, unless it has drawn, and it must not go on when that is refused.
   *
   * @throws Refusal `RATE_LIMITED`
   */
  draw(calls: readonly [Rate, ...Rate[]]): void {
    if (this.#drawn !== undefined) return
    this.#drawn = this.#take(calls)
    if (this.#drawn.refusal !== undefined) throw this.#drawn.refusal
  }

  /**
   * Puts the headers on an answer. A request that was answered before it was known what it calls draws an ordinary call
   * now. Where the limit is passed, the answer is that of `refused` instead.
   */
  settle(answer: Response, refused: (refusal: Refusal) => Response): Response {
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
