// Executes the jobs of one kind that only touch the database: takes those of environments that have room, some at a time.
import type { Clock } from '../../data/connection/clock.ts'
import { NO_ENVIRONMENT, returnJobs, takeJobs } from '../../data/queue/job-taking.ts'
import type { Job, QueueOf } from '../../data/queue/job.ts'
import { Bell } from './bell.ts'
import { FirstPriority } from './first-priority.ts'
import { InProgress } from './in-progress.ts'
import { Line } from './line.ts'
import { byTransaction, executeJobs, type Executing } from './transacted-job.ts'

/** The kinds of jobs that are executed in transactions. */
export type TransactedKind = 'events' | 'runs'

/** The number of jobs that are taken at once. Those of events share a transaction. */
const TAKEN_AT_ONCE = { events: 50, runs: 1 } as const satisfies Record<TransactedKind, number>

/**
 * The time after which other processes may take a job again, in milliseconds. It is soon held by the lock of its
 * transaction, which ends with the process.
 */
const LEASE = 2_000

/**
 * Milliseconds after which a loop returns the jobs that it has taken and not begun: those of an event that failed before are
 * not executed together, and others wait for the loop.
 */
const TURN = 500

export interface JobLoopOptions<Kind extends TransactedKind> extends Omit<Executing, 'concurrent'> {
  readonly kind: Kind
  /** Set by the statements that take jobs. */
  readonly clock: Clock
  /** The number of transactions at the same time. */
  readonly concurrency: number
  /** The number of transactions of one environment at a time. */
  readonly share: number
  /** The number of transactions in progress, of all kinds. */
  readonly concurrent: () => number
  /** True while new jobs are announced. */
  readonly isListening: () => boolean
}

/** The outcome of the work on jobs. */
export interface Worked {
  /** True if there were jobs. */
  readonly some: boolean
  /** True if there may be more. */
  readonly maybeMore: boolean
}

export class JobLoop<Kind extends TransactedKind> {
  /** Rings when there are new jobs. */
  readonly bell: Bell
  readonly inProgress = new InProgress()
  readonly #options: JobLoopOptions<Kind>
  /** One look at a time. Otherwise, several would take the jobs of an environment with room for one. */
  readonly #looking = new Line()
  readonly #first = new FirstPriority()
  /** The ids of the jobs in progress: under load, their transactions may begin after their lease. */
  readonly #taken = new Set<string>()
  /** The environment that was served last. */
  #last = NO_ENVIRONMENT

  constructor(options: JobLoopOptions<Kind>) {
    this.#options = options
    this.bell = new Bell(options.concurrency)
  }

  /**
   * Executes the next jobs.
   *
   * @param look wraps the search for jobs.
   * @param onEnd is called with each environment whose jobs end. It returns true if there may be more of them.
   */
  async work(
    stopping: AbortSignal,
    look = (take: () => Promise<readonly Job<QueueOf[Kind]>[]>) => take(),
    onEnd: (environmentId: string) => boolean = () => false,
  ): Promise<Worked> {
    const { kind, gateway, clock, stopwatch, sizes, isListening } = this.#options
    const jobs = await this.#looking.next(() => look(() => this.#take(stopping)))
    let maybeMore = jobs.length === TAKEN_AT_ONCE[kind] || (jobs.length > 0 && !isListening())
    const rest = byTransaction(jobs, sizes)
    const start = stopwatch()
    try {
      for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
        const returned = await executeJobs(this.#options, next)
        maybeMore ||= returned
        if (stopwatch() - start > TURN) break
      }
      if (rest.length > 0) {
        maybeMore = true
        await returnJobs(gateway.db, rest.flat(), { availableAt: clock.now(), counted: false })
      }
    } finally {
      for (const { id } of jobs) this.#taken.delete(id)
      for (const environmentId of environmentsOf(jobs)) {
        this.inProgress.end(environmentId)
        if (onEnd(environmentId)) maybeMore = true
      }
    }
    return { some: jobs.length > 0, maybeMore }
  }

  /** Takes the next jobs of environments that have room, and counts their environments as in progress. */
  async #take(stopping: AbortSignal): Promise<readonly Job<QueueOf[Kind]>[]> {
    if (stopping.aborted) return []
    const { kind, gateway, clock, share } = this.#options
    const { jobs, last } = await clock.measure(() =>
      takeJobs(gateway.db, {
        kind,
        count: { all: TAKEN_AT_ONCE[kind], each: TAKEN_AT_ONCE[kind] },
        first: this.#first.next(),
        after: this.#last,
        except: this.inProgress.having(share),
        taken: [...this.#taken],
        now: clock.now(),
        lease: LEASE,
      }),
    )
    this.#last = last
    for (const { id } of jobs) this.#taken.add(id)
    for (const environmentId of environmentsOf(jobs)) this.inProgress.begin(environmentId)
    return jobs
  }
}

const environmentsOf = (jobs: readonly Job[]) => new Set(jobs.map(({ environmentId }) => environmentId))
