// Executes jobs that only touch the database, each in one transaction. If the process dies, the job is available again
// immediately.
import type { Logger } from 'pino'
import { isConflict, isExpired, isLost, loggable } from '../../data/driver/database-errors.ts'
import { claimJobs, returnJobs } from '../../data/queue/job-taking.ts'
import { enqueue, type Job, type NewJob, type TransactedQueue } from '../../data/queue/job.ts'
import { createEnvironmentScope } from '../../domain/resolver/create-scope.ts'
import type { EnvironmentScope, Gateway } from '../../domain/resolver/scope.ts'
import { advance, restOf } from '../../engine/advance.ts'
import { eraseRuns, postponeErasure } from '../../engine/erasure/delete-subscriber.ts'
import { erasePersons } from '../../engine/erasure/erasure-page.ts'
import { failEvent } from '../../engine/fan-out-end.ts'
import { fanOut } from '../../engine/fan-out.ts'
import { failRuns } from '../../engine/retry.ts'
import { groupBy } from '../../lib/group-by.ts'
import { type BatchSizes, sizedAs } from './batch-sizes.ts'
import { attemptsAreUsedUp, retryAt } from './job-attempts.ts'

export interface Executing {
  readonly gateway: Gateway
  readonly logger: Logger
  readonly sizes: BatchSizes
  /** The stopwatch for transactions: milliseconds from an arbitrary start. */
  readonly stopwatch: () => number
  /** The number of transactions in progress, including this one. They share the thread, so each takes longer. */
  readonly concurrent: () => number
  /** The time limit of a transaction, in milliseconds. Defaults to the database's. */
  readonly timeout?: number | undefined
}

interface Task<Name extends TransactedQueue> {
  /**
   * @param jobs of one environment.
   * @param take the maximum number of runs to work on. A new job does the rest.
   * @returns the number of runs worked on.
   */
  readonly run: (scope: EnvironmentScope, jobs: readonly Job<Name>[], take: number) => Promise<number>
  /**
   * Records that the job failed permanently.
   *
   * @param cause completes a sentence that ends with "because".
   */
  readonly giveUp: (scope: EnvironmentScope, job: Job<Name>, cause: string) => Promise<void>
  /** Splits a failed job in two, to isolate the cause of the failure. Empty if the job cannot be divided. */
  readonly halve: (job: Job<Name>) => readonly NewJob[]
}

/** Runs jobs one after the other. */
const oneByOne =
  <Name extends TransactedQueue>(run: (scope: EnvironmentScope, job: Job<Name>, take: number) => Promise<number>) =>
  async (scope: EnvironmentScope, jobs: readonly Job<Name>[], take: number): Promise<number> => {
    let count = 0
    for (const job of jobs) count += await run(scope, job, take)
    return count
  }

const tasks: { readonly [Name in TransactedQueue]: Task<Name> } = {
  fan_out: {
    run: fanOut,
    giveUp: (scope, { data: { eventId } }) => failEvent(scope, eventId, 'fan_out_failed'),
    halve: () => [],
  },
  advance: {
    run: oneByOne(advance),
    giveUp: (scope, { data }, cause) => failRuns(scope, data.runIds, cause),
    halve: (job) => {
      const { runIds } = job.data
      const middle = runIds.length >> 1
      return middle === 0 ? [] : [runIds.slice(0, middle), runIds.slice(middle)].flatMap((half) => restOf(job, half))
    },
  },
  erase: {
    run: oneByOne((scope, { data, dueAt }, take) =>
      'erasureId' in data ? erasePersons(scope, { data, dueAt }, take) : eraseRuns(scope, { data, dueAt }, take),
    ),
    giveUp: postponeErasure,
    halve: () => [],
  },
}

/** The reason why a job was given up, for the execution log. */
const reasons = {
  interrupted: 'it was interrupted in every attempt',
  expired: 'it took too long in every attempt',
  fault: 'of an internal error; see the log',
} as const
type Cause = keyof typeof reasons

/** Jobs of one queue and one environment that one transaction executes, at least one. */
type JobBatch<Name extends TransactedQueue> = readonly [Job<Name>, ...Job<Name>[]]

/**
 * True if a job can share a transaction with others: it is on its first attempt and starts at an event's first page.
 */
const isBatchable = (job: Job<TransactedQueue>): boolean =>
  // Transactions that each join several digests could wait for each other.
  job.queue === 'fan_out' && job.attemptCount === 1 && !('place' in job.data) && job.digestWorkflowId === null

/**
 * Groups jobs of one queue into batches. A batch is no larger than the environment's recent transactions allow. Each
 * job has at least one recipient.
 */
export function batchesOf<Name extends TransactedQueue>(
  jobs: readonly Job<Name>[],
  sizes: BatchSizes,
): JobBatch<Name>[] {
  const batchable = groupBy(jobs.filter(isBatchable), ({ environmentId }) => environmentId)
  const batches = [...batchable].flatMap(([environmentId, own]) => portionsOf(own, sizes.of('fan_out', environmentId)))
  const others = jobs.filter((job) => !isBatchable(job)).map((job) => [job])
  return [...batches, ...others].flatMap(([first, ...rest]): JobBatch<Name>[] =>
    first === undefined ? [] : [[first, ...rest]],
  )
}

const portionsOf = <Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))

/**
 * Executes jobs that were taken, in one transaction.
 *
 * @returns true if it failed and the jobs are available again.
 * @throws if the database is unavailable; the attempt does not count then.
 */
export async function executeJobs<Name extends TransactedQueue>(
  executing: Executing,
  jobs: JobBatch<Name>,
): Promise<boolean> {
  const { gateway, logger, sizes, stopwatch, concurrent, timeout } = executing
  const [first] = jobs
  const { environmentId, queue } = first
  if (attemptsAreUsedUp(first.attemptCount - 1)) {
    await giveUp(executing, first, 'interrupted')
    return false
  }
  const { run }: Task<Name> = tasks[queue]
  const sized = sizedAs(first)
  const take = sizes.of(sized, environmentId)
  let start = stopwatch()
  const committed: (() => void)[] = []
  try {
    const count = await gateway.db.$transaction(
      async (db) => {
        start = stopwatch()
        const claimed = await claimJobs(db, jobs)
        return claimed.length > 0
          ? run(createEnvironmentScope(gateway, environmentId, db, committed), claimed, take)
          : 0
      },
      timeout === undefined ? {} : { timeout },
    )
    for (const act of committed) act()
    gateway.counts.drop(environmentId)
    sizes.adjust(sized, environmentId, { count, duration: (stopwatch() - start) / concurrent() })
    return false
  } catch (error) {
    const fields = { queue, jobIds: jobs.map(({ id }) => id), environmentId }
    if (isConflict(error)) {
      logger.debug({ err: loggable(error), ...fields }, 'jobs repeated after a conflict')
      await returnJobs(gateway.db, jobs, { availableAt: gateway.now(), counted: false })
      return true
    }
    if (isLost(error)) {
      await returnJobs(gateway.db, jobs, { availableAt: gateway.now(), counted: false }).catch((fault: unknown) => {
        logger.debug({ err: loggable(fault), ...fields }, 'jobs not returned')
      })
      throw error
    }
    const cause = isExpired(error) ? 'expired' : 'fault'
    if (cause === 'expired') sizes.adjust(sized, environmentId, { count: 0, duration: Infinity })
    logger.error({ err: loggable(error), ...fields, cause }, 'job failed')
    if (jobs.length === 1) {
      await recordFailure(executing, first, cause)
      return false
    }
    // From now on, each job is executed alone, to isolate the cause of the failure.
    await returnJobs(gateway.db, jobs, { availableAt: gateway.now(), counted: true })
    return true
  }
}

async function recordFailure<Name extends TransactedQueue>(executing: Executing, job: Job<Name>, cause: Cause) {
  const { gateway } = executing
  if (attemptsAreUsedUp(job.attemptCount)) return giveUp(executing, job, cause)
  const availableAt = retryAt(gateway.now(), job.attemptCount)
  const { halve }: Task<Name> = tasks[job.queue]
  const halves = halve(job)
  if (halves.length === 0) return returnJobs(gateway.db, [job], { availableAt, counted: true })
  const { attemptCount } = job
  await createEnvironmentScope(gateway, job.environmentId).transaction(async (scope) => {
    const claimed = await claimJobs(scope.db, [job])
    if (claimed.length === 0) return
    await enqueue(
      scope,
      halves.map((half) => ({ ...half, availableAt, attemptCount })),
    )
  })
}

/** Ends a job that failed permanently. If that cannot be recorded now, only the recording is attempted again later. */
async function giveUp<Name extends TransactedQueue>(executing: Executing, job: Job<Name>, cause: Cause): Promise<void> {
  const { gateway, logger } = executing
  const { environmentId, id, queue } = job
  const task: Task<Name> = tasks[queue]
  try {
    await createEnvironmentScope(gateway, environmentId).transaction(async (scope) => {
      const claimed = await claimJobs(scope.db, [job])
      if (claimed.length > 0) await task.giveUp(scope, job, reasons[cause])
    })
    logger.error({ queue, jobId: id, environmentId, data: job.data, cause }, 'job given up')
  } catch (error) {
    logger.error({ err: loggable(error), queue, jobId: id, environmentId }, 'job failure not recorded')
    await returnJobs(gateway.db, [job], { availableAt: retryAt(gateway.now(), job.attemptCount), counted: true })
  }
}
