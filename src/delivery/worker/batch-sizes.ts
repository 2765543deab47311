// Sizes of transactions: how much of a job is done at once, so that one transaction does not delay other work for long.
import type { TransactedQueue } from '../../data/queue/job.ts'
import { LARGEST_PAGE } from '../../engine/fan-out.ts'

/**
 * The time that one transaction should take at most, alone, in milliseconds. Others wait for it on the embedded database,
 * which has one connection.
 */
const AIM = { embedded: 50, server: 200 } as const

/** @param concurrency the number of transactions at the same time. */
export const aimOf = (concurrency: number) => AIM[concurrency === 1 ? 'embedded' : 'server']

/**
 * Sizes of a page of recipients, of a batch of runs to advance, and of a page of runs to erase. In smaller ones, the
 * statements of a transaction would cost more than the work. A recipient may have 200 channel endpoints.
 */
const bounds = {
  fan_out: { least: 5, first: 200, most: LARGEST_PAGE },
  advance: { least: 25, first: 100, most: 100 },
  erase: { least: 10, first: 50, most: 500 },
} as const satisfies Record<TransactedQueue, { least: number; first: number; most: number }>

/** Environments whose sizes are kept. */
const KEPT = 1_000

export interface BatchSizes {
  of(queue: TransactedQueue, environmentId: string): number
  /**
   * Sets the size for an environment to what would have taken as long as a transaction should, after one that took longer
   * and after a full one. The size changes at most to the half or to the double.
   */
  adjust(
    queue: TransactedQueue,
    environmentId: string,
    /** The number of runs, and the time in milliseconds. */
    transaction: { readonly count: number; readonly duration: number },
  ): void
}

/**
 * Each environment has its own sizes: its workflows decide how long one run takes.
 *
 * @param aim the longest time of a transaction in milliseconds.
 */
export function createBatchSizes(aim: number): BatchSizes {
  const sizes = new Map<string, number>()
  const of = (queue: TransactedQueue, environmentId: string) =>
    sizes.get(`${queue} ${environmentId}`) ?? bounds[queue].first
  return {
    of,
    adjust(queue, environmentId, { count, duration }) {
      const { least, most } = bounds[queue]
      const size = of(queue, environmentId)
      if (duration <= aim && count < size) return
      const fitting = Math.floor((count * aim) / duration)
      const next = Math.min(Math.max(fitting, size >> 1), size * 2)
      if (sizes.size >= KEPT) sizes.clear()
      sizes.set(`${queue} ${environmentId}`, Math.min(Math.max(next, least), most))
    },
  }
}
