// Sizes of transactions: how much of a job is done at once, so that one transaction does not delay other work for long.
import type { Job, TransactedQueue } from '../../data/queue/job.ts'
import { LARGEST_PAGE } from '../../engine/fan-out.ts'

/**
 * The longest time that one transaction should take when nothing else runs, in milliseconds. Others wait for it on the
 * embedded database, which has one connection.
 */
const AIM = { embedded: 50, server: 200 } as const

export const aimOf = (embedded: boolean) => AIM[embedded ? 'embedded' : 'server']

/**
 * Transactions with sizes of their own. Those of a large event's next pages say nothing about the first pages of other
 * events, of which many share a transaction.
 */
type Sized = TransactedQueue | 'next_page'

/** The kind of the transaction that executes a job. */
export const sizedAs = ({ queue, data }: Pick<Job<TransactedQueue>, 'queue' | 'data'>): Sized =>
  queue === 'fan_out' && 'place' in data ? 'next_page' : queue

/**
 * Bounds of a page of recipients, of a batch of runs to advance, and of a page of runs to erase, and how many of them one
 * millisecond is assumed to do until it is known. Below the lower bound, the statements of a transaction would cost more
 * than the work. A recipient may have 200 channel endpoints.
 */
const bounds = {
  fan_out: { least: 5, pace: 1, most: LARGEST_PAGE },
  /** Begins with the size of first pages. */
  next_page: { least: 5, most: LARGEST_PAGE },
  advance: { least: 25, pace: 0.5, most: 100 },
  erase: { least: 10, pace: 0.25, most: 500 },
} as const satisfies Record<Sized, { least: number; pace?: number; most: number }>

/** Environments whose sizes are remembered. */
const KEPT = 1_000

export interface BatchSizes {
  of(kind: Sized, environmentId: string): number
  /**
   * Sets an environment's size to what would have taken exactly the desired time, after a transaction that took longer
   * and after a full one. In one step, a size at most doubles, or shrinks to an eighth.
   */
  adjust(
    kind: Sized,
    environmentId: string,
    /** Records the number of runs and the time in milliseconds. */
    transaction: { readonly count: number; readonly duration: number },
  ): void
}

/**
 * Sizes are kept by environment, because its workflows decide how long one run takes.
 *
 * @param aim the longest desired time of a transaction in milliseconds.
 */
export function createBatchSizes(aim: number): BatchSizes {
  const sizes = new Map<string, number>()
  const of = (kind: Sized, environmentId: string): number =>
    sizes.get(`${kind} ${environmentId}`) ??
    (kind === 'next_page' ? of('fan_out', environmentId) : Math.floor(aim * bounds[kind].pace))
  return {
    of,
    adjust(kind, environmentId, { count, duration }) {
      const { least, most } = bounds[kind]
      const size = of(kind, environmentId)
      if (duration <= aim && count < size) return
      const fitting = Math.floor((count * aim) / duration)
      const next = Math.min(Math.max(fitting, size >> 3), size * 2)
      if (sizes.size >= KEPT) sizes.clear()
      sizes.set(`${kind} ${environmentId}`, Math.min(Math.max(next, least), most))
    },
  }
}
