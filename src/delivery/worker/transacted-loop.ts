// Executes the jobs of one kind that only touch the database. Takes a few jobs at a time, from environments that have
// room.
import type { Clock } from '../../data/connection/clock.ts'
import { returnJobs, takeJobs } from '../../data/queue/job-taking.ts'
import type { Announcement, Job, QueueOf } from '../../data/queue/job.ts'
import { FirstPriority } from './first-priority.ts'
import { InProgress } from './in-progress.ts'
import type { Loop } from './loop.ts'
import { repeatWhenWoken, type Repeating } from './repeat.ts'
import { SerialQueue } from './serial-queue.ts'
import { batchesOf, executeJobs, type Executing } from './transacted-job.ts'
import { Waker } from './waker.ts'
import { NIL_ID } from '../../lib/new-id.ts'

/** The kinds of jobs that run in transactions. */
type TransactedKind = 'events' | 'runs'

/**
 * The time after which other processes may take a job again, in milliseconds. Soon after it is taken, the job is held
 * by the lock of its transaction, which ends with the process.
 */
const LEASE = 2_000

/**
 * Milliseconds after which a loop returns jobs that it has taken but not begun. Jobs of events that failed before are
 * not executed together, and the other jobs wait for the loop.
 */
const TURN = 500

export interface TransactedLoopOptions extends Executing {
  /** Set by the statements that take jobs. */
  readonly clock: Clock
  /** The number of transactions at the same time. */
  readonly concurrency: number
  /** The queue in which transactions of all loops wait for the only connection. Undefined if each has its own. */
  readonly turns: SerialQueue | undefined
  /** True while new jobs are announced. */
  readonly isListening: () => boolean
}

interface Limits {
  /** The number of jobs to take at once. */
  readonly takenAtOnce: number
  /** The number of transactions of one environment at a time. */
  readonly share: number
}

/** Takes jobs. */
export type Look<Kind extends TransactedKind> = () => Promise<readonly Job<QueueOf[Kind]>[]>

/** The outcome of the work on jobs. */
interface Worked {
  /** True if there were any jobs. */
  readonly some: boolean
  /** True if there may be more. */
  readonly maybeMore: boolean
}

export abstract class TransactedLoop<Kind extends TransactedKind> implements Loop {
  readonly kind: Kind
  protected readonly waker: Waker
  /** Called with each environment whose jobs end. Returns true if it may have more. */
  protected readonly end: (environmentId: string) => boolean = () => false
  readonly #limits: Limits
  readonly #options: TransactedLoopOptions
  readonly #inProgress = new InProgress()
  /** One look at a time. Otherwise, several looks could each fill an environment's last free place. */
  readonly #looking = new SerialQueue()
  readonly #first = new FirstPriority()
  /** The ids of jobs in progress. Under load, a transaction may begin after the lease of its job has expired. */
  readonly #taken = new Set<string>()
  /** The environment that was served last. */
  #last = NIL_ID

  constructor(kind: Kind, limits: Limits, options: TransactedLoopOptions) {
    this.kind = kind
    this.waker = new Waker(options.concurrency)
    this.#limits = limits
    this.#options = options
  }

  /** The number of transactions in progress. */
  get transactions(): number {
    return this.#inProgress.all
  }

  announce({ count }: Pick<Announcement, 'count' | 'environmentId'>): void {
    this.waker.wake(count)
  }

  wake(): void {
    this.waker.wakeAll()
  }

  async run(repeating: Repeating): Promise<void> {
    const work = async () => (await this.#workInTurn(repeating.stopping)).maybeMore
    const { concurrency } = this.#options
    await Promise.all(Array.from({ length: concurrency }, () => repeatWhenWoken(repeating, this.waker, work)))
  }

  async work(stopping: AbortSignal): Promise<boolean> {
    return (await this.#workInTurn(stopping)).some
  }

  protected isInProgress(environmentId: string): boolean {
    return this.#inProgress.of(environmentId) > 0
  }

  /** Looks for jobs, one look at a time. */
  protected look(take: Look<Kind>): ReturnType<Look<Kind>> {
    return take()
  }

  #workInTurn(stopping: AbortSignal): Promise<Worked> {
    const { turns } = this.#options
    return turns ? turns.run(() => this.#work(stopping)) : this.#work(stopping)
  }

  /** Executes the next jobs. */
  async #work(stopping: AbortSignal): Promise<Worked> {
    const { gateway, clock, stopwatch, sizes, isListening } = this.#options
    const jobs = await this.#looking.run(() => this.look(() => this.#take(stopping)))
    let maybeMore = jobs.length === this.#limits.takenAtOnce || (jobs.length > 0 && !isListening())
    const rest = batchesOf(jobs, sizes)
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
        this.#inProgress.end(environmentId)
        if (this.end(environmentId)) maybeMore = true
      }
    }
    return { some: jobs.length > 0, maybeMore }
  }

  /** Takes the next jobs of environments that have room, and counts them as in progress. */
  async #take(stopping: AbortSignal): Promise<readonly Job<QueueOf[Kind]>[]> {
    if (stopping.aborted) return []
    const { gateway, clock } = this.#options
    const { takenAtOnce, share } = this.#limits
    const { jobs, last } = await clock.measure(() =>
      takeJobs(gateway.db, {
        kind: this.kind,
        count: { all: takenAtOnce, each: takenAtOnce },
        first: this.#first.next(),
        after: this.#last,
        except: this.#inProgress.having(share),
        taken: [...this.#taken],
        now: clock.now(),
        lease: LEASE,
      }),
    )
    this.#last = last
    for (const { id } of jobs) this.#taken.add(id)
    for (const environmentId of environmentsOf(jobs)) this.#inProgress.begin(environmentId)
    return jobs
  }
}

const environmentsOf = (jobs: readonly Job[]) => new Set(jobs.map(({ environmentId }) => environmentId))
