// Places for messages: how many are sent at the same time, in total and through each integration.
import type { IntegrationRoom, IntegrationRooms } from '../../data/queue/job-turns.ts'
import { integrationKey, type Job } from '../../data/queue/job.ts'
import { InProgress } from './in-progress.ts'

/**
 * Milliseconds after which a message gives up its place, so that a hanging provider does not delay others for longer.
 */
const PATIENCE = 1_000

/** Milliseconds after which an answer counts as slow. */
const SLOW = 5_000

/** Maximum messages in flight per place. Bounds messages that gave up their places, too. */
const IN_FLIGHT = 4

/** Idle integrations whose bounds are remembered. Over the limit, the oldest ones are forgotten. */
const KEPT = 100

/** The outcome of a message: an answer; no answer, or that of an overloaded provider; or no request at all. */
export type Ending = 'answered' | 'strained' | 'unsent'

/** How many messages may be in flight through an integration. */
interface Bound {
  open: number
  limit: number
  /** How often the bound was halved. */
  halvings: number
}

/** A message in flight. */
interface Place {
  /** Call it once. */
  end(ending: Ending): void
}

export interface PlacesOptions {
  /** The number of places. */
  readonly count: number
  /** The maximum number of messages in flight through one integration. Default: the number of places. */
  readonly most?: number
  /** Called when a place becomes free. */
  readonly onFree: () => void
  /** The stopwatch: milliseconds from an arbitrary start. */
  readonly stopwatch: () => number
}

/**
 * An integration begins with a quarter of the places. Its bound grows by one with each prompt answer, up to all places.
 * When an answer is slow, missing or reports too many requests, the bound is halved, but only once for all messages
 * that were in flight together.
 */
export class MessagePlaces {
  readonly #options: PlacesOptions
  readonly #most: number
  readonly #first: number
  readonly #inFlight = new InProgress()
  readonly #bounds = new Map<string, Bound>()
  /** The keys of bounds without messages in flight, idle the longest first. */
  readonly #idle = new Set<string>()
  #held = 0

  constructor(options: PlacesOptions) {
    this.#options = options
    this.#most = options.most ?? options.count
    this.#first = Math.min(Math.ceil(options.count / 4), this.#most)
  }

  /** The number of messages in flight, including those that gave up their places. */
  get inFlight(): number {
    return this.#inFlight.all
  }

  /** The number of occupied places. */
  get held(): number {
    return this.#held
  }

  /** The number of messages that can be taken. */
  get free(): number {
    return Math.max(0, Math.min(this.#options.count - this.#held, this.#left))
  }

  /**
   * The environments that must leave the free places to others, because they already have their share of messages in
   * flight.
   */
  get full(): readonly string[] {
    return this.#inFlight.having(Math.max(1, this.#left))
  }

  /** The number of messages that can be taken for each integration. */
  get rooms(): IntegrationRooms {
    const known: Record<string, IntegrationRoom> = {}
    for (const [key, { open, limit }] of this.#bounds) known[key] = { room: Math.max(0, limit - open), open }
    return { known, room: this.#first }
  }

  get #left(): number {
    return this.#options.count * IN_FLIGHT - this.#inFlight.all
  }

  begin(job: Pick<Job, 'environmentId' | 'integrationId'>): Place {
    const { stopwatch, onFree } = this.#options
    const key = integrationKey(job)
    const bound = this.#bounds.get(key) ?? { open: 0, limit: this.#first, halvings: 0 }
    this.#bounds.set(key, bound)
    this.#idle.delete(key)
    bound.open += 1
    this.#held += 1
    this.#inFlight.begin(job.environmentId)
    const { halvings } = bound
    const begun = stopwatch()
    let isHeld = true
    const giveUp = () => {
      if (isHeld) this.#held -= 1
      isHeld = false
      onFree()
    }
    const timer = setTimeout(giveUp, PATIENCE)
    return {
      end: (ending) => {
        clearTimeout(timer)
        bound.open -= 1
        this.#inFlight.end(job.environmentId)
        if (ending === 'strained' || (ending === 'answered' && stopwatch() - begun > SLOW)) {
          if (halvings === bound.halvings) {
            bound.limit = Math.max(1, bound.limit >> 1)
            bound.halvings += 1
          }
        } else if (ending === 'answered') bound.limit = Math.min(bound.limit + 1, this.#most)
        this.#rest(key, bound)
        giveUp()
      },
    }
  }

  /** Remembers the bound of an idle integration, and forgets the one that has been idle the longest. */
  #rest(key: string, bound: Bound): void {
    if (bound.open > 0) return
    this.#bounds.delete(key)
    this.#idle.delete(key)
    if (bound.limit === this.#first) return
    const [oldest] = this.#idle
    if (oldest !== undefined && this.#idle.size >= KEPT) {
      this.#idle.delete(oldest)
      this.#bounds.delete(oldest)
    }
    this.#bounds.set(key, bound)
    this.#idle.add(key)
  }
}
