// Sends the messages of the queue concurrently: takes new ones when a place is free, so that a slow provider delays only its own.
import type { Clock } from '../../data/connection/clock.ts'
import { NO_ENVIRONMENT, takeJobs } from '../../data/queue/job-taking.ts'
import type { Job } from '../../data/queue/job.ts'
import { Bell } from './bell.ts'
import type { Delivering } from '../sending/deliver.ts'
import { FirstPriority } from './first-priority.ts'
import { Leases, MESSAGE_LEASE } from './leases.ts'
import { sendMessage } from './message-job.ts'
import { MessagePlaces } from './places.ts'

export interface MessageLoopOptions extends Delivering {
  /** Set by the statements that take jobs. */
  readonly clock: Clock
  /** The number of messages that are sent at the same time. */
  readonly concurrency: number
  /** The time in milliseconds, from any start. */
  readonly stopwatch: () => number
}

export class MessageLoop {
  /** Rings when there may be messages to take: new ones, or a free place. */
  readonly bell = new Bell(1)
  readonly places: MessagePlaces
  readonly #options: MessageLoopOptions
  readonly #leases: Leases
  readonly #sending = new Set<Promise<void>>()
  /** Aborts when no message is in flight any more. */
  #inFlight = new AbortController()
  readonly #first = new FirstPriority()
  /** The environment that was served last. */
  #last = NO_ENVIRONMENT

  constructor(options: MessageLoopOptions) {
    this.#options = options
    const { concurrency: count, stopwatch } = options
    this.places = new MessagePlaces({ count, stopwatch, onFree: () => this.bell.ring() })
    this.#leases = new Leases(options)
  }

  /**
   * Sends messages until none is available and all have ended.
   *
   * @param stopping aborts to take no more of them.
   * @returns true if there were some.
   */
  async work(stopping: AbortSignal): Promise<boolean> {
    let sent = false
    try {
      while (!stopping.aborted) {
        const mayBeMore = await this.#takeSome(stopping)
        sent ||= this.#sending.size > 0
        if (this.#sending.size === 0) break
        // The bell wakes one of several callers. When the last message has ended, nothing rings for the others.
        if (!mayBeMore) await this.bell.wait(AbortSignal.any([stopping, this.#inFlight.signal]))
      }
    } finally {
      // Also if taking jobs failed: messages in flight have to end.
      await Promise.all(this.#sending)
      await this.#leases.settled()
    }
    return sent
  }

  /** Takes messages and begins to send them. @returns true if an environment may have more for the places left. */
  async #takeSome(stopping: AbortSignal): Promise<boolean> {
    const { gateway, clock, stopwatch } = this.#options
    const { free, full, rooms } = this.places
    if (free === 0) return false
    // The others are left to environments that come next.
    const each = Math.ceil(free / 2)
    const since = stopwatch()
    const { jobs, last } = await clock.measure(() =>
      takeJobs(gateway.db, {
        kind: 'messages',
        count: { all: free, each },
        first: this.#first.next(),
        rooms,
        after: this.#last,
        except: full,
        taken: this.#leases.over,
        now: clock.now(),
        lease: MESSAGE_LEASE,
      }),
    )
    this.#last = last
    for (const job of jobs) this.#send(job, since, stopping)
    return jobs.length >= each
  }

  #send(job: Job<'deliver'>, since: number, stopping: AbortSignal): void {
    this.#leases.begin(job, since)
    const place = this.places.begin(job)
    const holds = () => this.#leases.holds(job)
    const one: Promise<void> = sendMessage({ ...this.#options, holds, stopping }, job).then((ending) => {
      this.#leases.end(job)
      this.#sending.delete(one)
      place.end(ending)
      if (this.#sending.size === 0) this.#inFlight.abort()
    })
    if (this.#sending.size === 0) this.#inFlight = new AbortController()
    this.#sending.add(one)
  }
}
