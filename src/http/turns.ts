// Turns of requests: an environment has few requests in progress at a time. Its others wait, those of other environments
// do not.
import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { setImmediate as nextTick } from 'node:timers/promises'
import type { Aside, Caller } from '../domain/resolver/scope.ts'
import { Places } from '../lib/places.ts'

/** Bytes. Decoding and checking a larger body blocks the event loop for tens of milliseconds. */
const LARGE_BODY = 64 * 1024
/** The same with one connection, for which everybody waits while a bulk of a few hundred rows is written. */
const LARGE_BODY_ALONE = 16 * 1024

/** Milliseconds that an environment counts as active after a request. */
const ACTIVE = 1_000
/**
 * A large request is followed by a pause: in milliseconds, twice the time that it kept the thread busy. A request of a
 * neighbor needs the thread several times.
 */
const PAUSE = { least: 5, factor: 2, most: 250 } as const

/** Knows whether an environment has the process for itself. */
class Activity {
  #latest = { environmentId: '', at: -Infinity }
  /** The latest of another environment. */
  #other = this.#latest

  note(environmentId: string): void {
    if (environmentId !== this.#latest.environmentId) this.#other = this.#latest
    this.#latest = { environmentId, at: performance.now() }
  }

  hasOthersThan(environmentId: string): boolean {
    const { at } = environmentId === this.#latest.environmentId ? this.#other : this.#latest
    return performance.now() - at < ACTIVE
  }
}

/** The turn of one request. */
export interface Turn {
  /**
   * Waits until the caller's environment has no other large request in progress. Not within a transaction: the other one
   * may wait for its connection.
   */
  readonly enlarge: () => Promise<void>
  readonly aside: Aside
}

export interface Turns {
  /**
   * Waits for the caller's turn and works. The turn ends with the work, not with the stream that it may return.
   *
   * @param size the length of the request's body in bytes.
   */
  take<Result>(caller: Caller, size: number, work: (turn: Turn) => Promise<Result>): Promise<Result>
}

/** Requests of an environment that wait for others without a place. Each takes memory, and the thread when it continues. */
const MOST_ASIDE = 20

/**
 * Callers without an API key have places of their own: what web pages send does not delay a back end.
 *
 * @param limit the number of requests that an environment has in progress at a time.
 * @param isEmbedded true if all share one database connection.
 */
export function createTurns(limit: number, isEmbedded = false): Turns {
  const largeBody = isEmbedded ? LARGE_BODY_ALONE : LARGE_BODY
  const all = new Places(limit)
  const large = new Places(1)
  const waitingAside = new Places(MOST_ASIDE)
  const activity = new Activity()

  /** Frees the place of a large request, later if the thread must be left to others first. */
  function leaveLarge(key: string, environmentId: string, busy: number): void {
    if (busy < PAUSE.least || !activity.hasOthersThan(environmentId)) large.leave(key)
    else setTimeout(() => large.leave(key), Math.min(busy * PAUSE.factor, PAUSE.most))
  }

  return {
    async take({ kind, environmentId }, size, work) {
      activity.note(environmentId)
      const key = `${kind} ${environmentId}`
      /** The time that the thread was busy before the request was large. Absent unless it is. */
      const held: { before?: EventLoopUtilization } = {}
      const enlarge = async () => {
        if (held.before) return
        await large.take(key)
        // Requests that arrived while the last large one had the thread come first.
        await nextTick()
        held.before = performance.eventLoopUtilization()
      }
      const aside: Aside = async (waiting) => {
        if (held.before || !waitingAside.enterFree(key)) return waiting()
        all.leave(key)
        try {
          return await waiting()
        } finally {
          waitingAside.leave(key)
          all.enter(key)
        }
      }
      await all.take(key)
      try {
        if (size > largeBody) await enlarge()
        return await work({ enlarge, aside })
      } finally {
        if (held.before) leaveLarge(key, environmentId, performance.eventLoopUtilization(held.before).active)
        all.leave(key)
      }
    },
  }
}
