// The portions of a task: each is a short transaction or statement, followed by a rest, so that requests go first.
import { setTimeout as pause } from 'node:timers/promises'
import { despiteConflicts } from '../../data/driver/database-errors.ts'
import type { Connection } from '../../data/connection/database.ts'
import { holdTask, type TaskLease } from '../../data/housekeeping/task-lease.ts'
import type { Gateway } from '../../domain/resolver/scope.ts'

/** Milliseconds after which another process may continue the task of one that died. A portion takes far less. */
export const LEASE = 60_000
/** Maximum milliseconds that a portion should take. */
const AIM = { embedded: 20, server: 50 } as const

/** Another process is performing the task, or this process is stopping. */
export class TaskInterrupted extends Error {}

export interface Pace {
  readonly gateway: Pick<Gateway, 'db' | 'now'>
  /** True on the embedded database, which has one connection, so all requests wait for a portion. */
  readonly embedded: boolean
  /** The stopwatch for portions: milliseconds from an arbitrary start. */
  readonly stopwatch: () => number
}

/** The limits of the portions of a task. */
export interface Limits {
  /** Rows in the smallest portion, in the first and in the largest. */
  readonly least: number
  readonly first: number
  readonly most: number
  /** The pause after a portion, as a multiple of its duration. */
  readonly rest: number
}

/** The portions of one task. Their sizes depend on how long earlier portions took. */
export class Portions {
  readonly #pace: Pace
  readonly #limits: Limits
  readonly #stopping: AbortSignal
  readonly #sizes = new Map<string, number>()

  constructor(pace: Pace, limits: Limits, stopping: AbortSignal) {
    this.#pace = pace
    this.#limits = limits
    this.#stopping = stopping
  }

  /**
   * Works on a portion, then rests.
   *
   * @param lease if given, the work runs in a transaction that holds it. @param kind each kind has sizes of its own.
   * @throws TaskInterrupted
   */
  async run<Result>(
    lease: TaskLease | undefined,
    kind: string,
    work: (db: Connection, take: number) => Promise<Result>,
  ): Promise<Result> {
    if (this.#stopping.aborted) throw new TaskInterrupted()
    const { gateway, stopwatch } = this.#pace
    const take = this.#sizes.get(kind) ?? this.#limits.first
    let start = stopwatch()
    const result = await despiteConflicts(() => {
      start = stopwatch()
      if (lease === undefined) return work(gateway.db, take)
      return gateway.db.$transaction(async (transaction) => {
        start = stopwatch()
        const until = new Date(gateway.now().getTime() + LEASE)
        if (!(await holdTask(transaction, lease, until))) throw new TaskInterrupted()
        return work(transaction, take)
      })
    })
    const duration = stopwatch() - start
    this.#sizes.set(kind, this.#sizeAfter(take, duration))
    const { rest } = this.#limits
    if (rest > 0) await pause(duration * rest, undefined, { signal: this.#stopping }).catch(() => {})
    return result
  }

  #sizeAfter(take: number, duration: number): number {
    const { least, most } = this.#limits
    const aim = AIM[this.#pace.embedded ? 'embedded' : 'server']
    if (duration > aim) return Math.max(least, take >> 1)
    return duration < aim / 2 ? Math.min(most, take << 1) : take
  }
}
