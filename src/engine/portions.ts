// Portions of a sweep: each is a short transaction, with a rest after it, so that requests go first.
import { setTimeout as pause } from 'node:timers/promises'
import { despiteConflicts } from '../data/driver/database-errors.ts'
import type { Connection } from '../data/connection/database.ts'
import { type HeldSweep, holdSweep } from '../data/housekeeping/sweep.ts'
import type { Gateway } from '../domain/resolver/scope.ts'

/** Milliseconds after which another process may continue the sweep of one that died. A portion takes far less. */
export const LEASE = 60_000
/** The time that a portion should take at most, in milliseconds. */
const AIM = { embedded: 20, server: 50 } as const
/** The pause after a portion, as a multiple of the time that it took. */
const REST = 3
/** Rows in the first portion, and in the smallest. */
const SIZE = { least: 16, first: 64 } as const

/** Another process performs the sweep, or this process stops. */
export class SweepInterrupted extends Error {}

export interface Pace {
  readonly gateway: Pick<Gateway, 'db' | 'now'>
  /** True on the embedded database, which has one connection: all requests wait for a portion. */
  readonly embedded: boolean
  /** The time in milliseconds, from any start. Measures portions. */
  readonly stopwatch: () => number
}

/** The portions of one sweep. Their sizes follow the time that they take. */
export class Portions<Kind extends string> {
  readonly #pace: Pace
  readonly #most: number
  readonly #stopping: AbortSignal
  readonly #sizes = new Map<Kind, number>()

  /** @param most the rows in the largest portion. */
  constructor(pace: Pace, most: number, stopping: AbortSignal) {
    this.#pace = pace
    this.#most = most
    this.#stopping = stopping
  }

  /**
   * Works on a portion, then rests for a while.
   *
   * @param kind has a size of its own. @throws SweepInterrupted
   */
  async run<Result>(
    held: HeldSweep,
    kind: Kind,
    work: (db: Connection, take: number) => Promise<Result>,
  ): Promise<Result> {
    if (this.#stopping.aborted) throw new SweepInterrupted()
    const { gateway, embedded, stopwatch } = this.#pace
    const take = this.#sizes.get(kind) ?? SIZE.first
    let start = stopwatch()
    const result = await despiteConflicts(() =>
      gateway.db.$transaction(async (transaction) => {
        start = stopwatch()
        const until = new Date(gateway.now().getTime() + LEASE)
        if (!(await holdSweep(transaction, held, until))) throw new SweepInterrupted()
        return work(transaction, take)
      }),
    )
    const duration = stopwatch() - start
    const aim = AIM[embedded ? 'embedded' : 'server']
    const next =
      duration > aim ? Math.max(SIZE.least, take >> 1) : duration < aim / 2 ? Math.min(this.#most, take << 1) : take
    this.#sizes.set(kind, next)
    await pause(duration * REST, undefined, { signal: this.#stopping }).catch(() => {})
    return result
  }
}
