// Sends the messages of the queue concurrently. Takes a new message whenever a place is free, so that a slow provider
// delays only its own messages.
import type { Clock } from '../../data/connection/clock.ts'
import { takeJobs } from '../../data/queue/job-taking.ts'
import type { Job } from '../../data/queue/job.ts'
import type { Delivering } from '../sending/deliver.ts'
import { FirstPriority } from './first-priority.ts'
import { Leases, MESSAGE_LEASE } from './leases.ts'
import type { Loop } from './loop.ts'
import { sendMessage } from './message-job.ts'
import { MessagePlaces } from './places.ts'
import { repeatWhenWoken, type Repeating } from './repeat.ts'
import { TokenTimer } from './token-timer.ts'
import { Waker } from './waker.ts'
import { NIL_ID } from '../../lib/new-id.ts'

export interface MessageLoopOptions extends Delivering {
  /** Set by the statements that take jobs. */
  readonly clock: Clock
  /** The maximum number of messages that are sent at the same time. */
  readonly concurrency: number
  /** The stopwatch: milliseconds from an arbitrary start. */
  readonly stopwatch: () => number
}

export class MessageLoop implements Loop {
  readonly kind = 'messages'
  readonly places: MessagePlaces
  /** Called when messages can be taken: there are new ones, or a place is free. */
  readonly #waker = new Waker(1)
  readonly #options: MessageLoopOptions
  readonly #leases: Leases
  readonly #tokens = new TokenTimer(() => this.#waker.wake())
  readonly #sending = new Set<Promise<void>>()
  /** Aborts when no more messages are in flight. */
  #inFlight = new AbortController()
  readonly #first = new FirstPriority()
  /** The environment that was served last. */
  #last = NIL_ID

  constructor(options: MessageLoopOptions) {
    this.#options = options
    const { concurrency: count, stopwatch } = options
    this.places = new MessagePlaces({ count, stopwatch, onFree: () => this.#waker.wake() })
    this.#leases = new Leases(options)
  }

  announce(): void {
    this.#waker.wake()
  }

  wake(): void {
    this.#waker.wake()
  }

  async run(repeating: Repeating): Promise<void> {
    await repeatWhenWoken(repeating, this.#waker, () => this.work(repeating.stopping))
    this.#tokens.stop()
  }

  /**
   * Sends messages until none is available and all have ended.
   *
   * @param stopping aborts to stop taking messages.
   * @returns true if any were sent.
   */
  async work(stopping: AbortSignal): Promise<boolean> {
    let sent = false
    try {
      while (!stopping.aborted) {
        const mayBeMore = await this.#takeSome(stopping)
        sent ||= this.#sending.size > 0
        if (this.#sending.size === 0) break
        // The waker wakes one of several callers. After the last message, nothing else would wake the others.
        if (!mayBeMore) await this.#waker.wait(AbortSignal.any([stopping, this.#inFlight.signal]))
      }
    } finally {
      // Even if taking jobs failed, messages in flight have to end.
      await Promise.all(this.#sending)
      await this.#leases.settled()
    }
    return sent
  }

  /** Takes messages and starts to send them. @returns true if an environment may have more for the free places. */
  async #takeSome(stopping: AbortSignal): Promise<boolean> {
    const { gateway, clock, stopwatch } = this.#options
    const { free, full, rooms } = this.places
    if (free === 0) return false
    // The remaining places are left to other environments.
    const each = Math.ceil(free / 2)
    const since = stopwatch()
    const { jobs, last, tokensAt } = await clock.measure(() =>
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
    this.#tokens.looked(tokensAt.map((at) => Math.max(0, at.getTime() - clock.now().getTime())))
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
