// Turns of requests: an environment has only a few requests in progress at a time. Further ones wait, but do not delay
// other environments.
import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { setImmediate as nextTick } from 'node:timers/promises'
import type { Caller } from '../domain/resolver/caller.ts'
import type { WithoutPlace } from '../domain/resolver/scope.ts'
import { Places } from '../lib/places.ts'

/**
 * The bytes of a body above which a request counts as large. Decoding and checking a larger one blocks the event loop
 * for tens of milliseconds. With one connection, everyone waits while a bulk request writes a few hundred rows.
 */
const LARGE_REQUEST = { embedded: 16 * 1024, server: 64 * 1024 } as const

/** Milliseconds that an environment counts as active after a request. */
const ACTIVE = 1_000
/**
 * The pause after a large request: twice the time for which it kept the thread busy, between `least` and `most`
 * milliseconds. A neighbor's request needs the thread several times.
 */
const PAUSE = { least: 5, factor: 2, most: 250 } as const

/** Tracks whether other environments are active in this process. */
class Activity {
  #latest = { environmentId: '', at: -Infinity }
  /** The latest request of another environment. */
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
   * Makes this request a large one: waits until no other large request of the caller is in progress. Not within a
   * transaction, because the other request may be waiting for its connection.
   */
  readonly takeLargePlace: () => Promise<void>
  readonly withoutPlace: WithoutPlace
}

export interface Turns {
  /**
   * Waits for the caller's turn and runs `work`. The turn ends when `work` resolves, even if it returns a stream.
   *
   * @param size the length of the request's body in bytes.
   */
  take<Result>(caller: Caller, size: number, work: (turn: Turn) => Promise<Result>): Promise<Result>
}

/**
 * Requests of an environment that may wait without a place. Each takes memory, and needs the thread when it continues.
 */
const MOST_WITHOUT_PLACE = 20

/**
 * Callers without an API key have places of their own, so that requests from web pages do not delay a back end.
 *
 * @param limit the number of requests that an environment has in progress at a time.
 * @param isEmbedded true if all share one database connection.
 */
export function createTurns(limit: number, isEmbedded = false): Turns {
  const largest = LARGE_REQUEST[isEmbedded ? 'embedded' : 'server']
  const all = new Places(limit)
  const large = new Places(1)
  const waitingOnes = new Places(MOST_WITHOUT_PLACE)
  const activity = new Activity()

  /** Frees the place of a large request, after a pause if the thread must first be left to others. */
  function leaveLarge(key: string, environmentId: string, busy: number): void {
    if (busy < PAUSE.least || !activity.hasOthersThan(environmentId)) large.leave(key)
    else setTimeout(() => large.leave(key), Math.min(busy * PAUSE.factor, PAUSE.most))
  }

  return {
    async take({ kind, environmentId }, size, work) {
      activity.note(environmentId)
      const key = `${kind} ${environmentId}`
      /** The load of the thread when the request became large. Absent before that. */
      const held: { before?: EventLoopUtilization } = {}
      const takeLargePlace = async () => {
        if (held.before) return
        await large.take(key)
        // Requests that arrived while the last large request kept the thread busy go first.
        await nextTick()
        held.before = performance.eventLoopUtilization()
      }
      const withoutPlace: WithoutPlace = async (waiting) => {
        if (held.before || !waitingOnes.enterFree(key)) return waiting()
        all.leave(key)
        try {
          return await waiting()
        } finally {
          waitingOnes.leave(key)
          all.enter(key)
        }
      }
      await all.take(key)
      try {
        if (size > largest) await takeLargePlace()
        return await work({ takeLargePlace, withoutPlace })
      } finally {
        if (held.before) leaveLarge(key, environmentId, performance.eventLoopUtilization(held.before).active)
        all.leave(key)
      }
    },
  }
}
