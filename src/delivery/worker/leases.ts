// Leases of messages in flight. They are renewed while the process lives, so that others continue soon after it dies.
import type { Logger } from 'pino'
import { loggable } from '../../data/driver/database-errors.ts'
import { renewJobs } from '../../data/queue/job-taking.ts'
import type { Job } from '../../data/queue/job.ts'
import type { Gateway } from '../../domain/resolver/scope.ts'

/** The time after which other processes may take a message again, in milliseconds. */
export const MESSAGE_LEASE = 10_000

/** Milliseconds between renewals. A process that stalls for several seconds keeps its messages. */
const RENEWAL = 3_000

/**
 * Milliseconds before the next renewal after a failed one. Short, so that the leases are renewed before other processes
 * take the messages when the database is back.
 */
const AGAIN = 500

interface Lease {
  readonly job: Job<'deliver'>
  /** When the statement that set the lease was sent, in stopwatch time. */
  since: number
}

export interface LeasesOptions {
  readonly gateway: Pick<Gateway, 'db' | 'now'>
  readonly logger: Pick<Logger, 'debug'>
  /** The stopwatch: milliseconds from an arbitrary start. */
  readonly stopwatch: () => number
}

/** Renews the leases of all messages in flight with one statement. */
export class Leases {
  readonly #options: LeasesOptions
  readonly #held = new Map<string, Lease>()
  #timer: NodeJS.Timeout | undefined
  #renewing = Promise.resolve()

  constructor(options: LeasesOptions) {
    this.#options = options
  }

  /** @param since when the statement that took the job was sent, in stopwatch time. */
  begin(job: Job<'deliver'>, since: number): void {
    this.#held.set(job.id, { job, since })
    this.#timer ??= this.#renewIn(RENEWAL)
  }

  end({ id }: Pick<Job, 'id'>): void {
    this.#held.delete(id)
    if (this.#held.size > 0) return
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** True if no other process can have taken the job. */
  holds({ id }: Pick<Job, 'id'>): boolean {
    const lease = this.#held.get(id)
    return lease !== undefined && this.#options.stopwatch() - lease.since < MESSAGE_LEASE
  }

  /** The ids of jobs in flight with an expired lease. This process must not take them again. */
  get over(): string[] {
    return [...this.#held.values()].flatMap(({ job }) => (this.holds(job) ? [] : [job.id]))
  }

  /** Resolves when no renewal is in progress. */
  settled(): Promise<void> {
    return this.#renewing
  }

  #renewIn(pause: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#renewing = this.#renew()
    }, pause)
  }

  async #renew(): Promise<void> {
    const { gateway, logger, stopwatch } = this.#options
    const since = stopwatch()
    const jobs = [...this.#held.values()].map(({ job }) => job)
    let pause = RENEWAL
    try {
      const renewed = await renewJobs(gateway.db, jobs, { now: gateway.now(), lease: MESSAGE_LEASE })
      for (const id of renewed) {
        const lease = this.#held.get(id)
        if (lease !== undefined) lease.since = since
      }
    } catch (error) {
      logger.debug({ err: loggable(error), messages: jobs.length }, 'leases not renewed')
      pause = AGAIN
    }
    clearTimeout(this.#timer)
    this.#timer = this.#held.size > 0 ? this.#renewIn(pause) : undefined
  }
}
