// Executes jobs that send a message. They run outside a transaction, because providers can be slow.
import { setTimeout as pause } from 'node:timers/promises'
import { isConflict, isLost, loggable } from '../../data/driver/database-errors.ts'
import { claimJobs, returnJobs } from '../../data/queue/job-taking.ts'
import type { Job } from '../../data/queue/job.ts'
import { createEnvironmentScope } from '../../domain/resolver/create-scope.ts'
import { giveUpDelivery } from '../../engine/attempt.ts'
import { type Attempt, type Delivering, makeAttempt, recordAttempt } from '../sending/deliver.ts'
import { attemptsAreUsedUp, retryAt } from './job-attempts.ts'
import type { Ending } from './places.ts'

/** Milliseconds between attempts to record a result while the database is away. */
const AGAIN = 250

export interface MessageSending extends Delivering {
  /** True while no other process can have taken the job. */
  readonly holds: () => boolean
  /** Aborts when the worker stops. Results are then no longer kept. */
  readonly stopping: AbortSignal
}

const TOO_MANY_REQUESTS = 429

/** The provider's load, as its answer indicates. */
function endingOf(attempt: Attempt | undefined): Ending {
  if (attempt?.message === undefined) return 'unsent'
  const { failure, status } = attempt.result
  const isStrained = failure?.permanent === false && (status === null || status === TOO_MANY_REQUESTS || status >= 500)
  return isStrained ? 'strained' : 'answered'
}

/**
 * Repeats work until the database is available, and immediately after a deadlock.
 *
 * @param work receives true if it was called before.
 */
async function whenBack<Result>(
  { logger, stopping }: MessageSending,
  { id }: Job,
  work: (isRepeated: boolean) => Promise<Result>,
): Promise<Result> {
  for (let isRepeated = false; ; isRepeated = true) {
    const isLast = stopping.aborted
    try {
      return await work(isRepeated)
    } catch (error) {
      if (!isConflict(error) && (isLast || !isLost(error))) throw error
      logger.debug({ err: loggable(error), jobId: id }, 'message result not recorded yet')
    }
    await pause(AGAIN, undefined, { signal: stopping }).catch(() => {})
  }
}

/**
 * Attempts to send a message. A result is kept while the database is unavailable, and recorded afterwards. If it is
 * lost, the message is sent again with the same key. Never throws.
 */
export async function sendMessage(sending: MessageSending, job: Job<'deliver'>): Promise<Ending> {
  const { gateway, logger, holds } = sending
  const { id, queue, environmentId } = job
  const scope = createEnvironmentScope(gateway, environmentId)
  let made: Attempt | undefined
  try {
    const attempt = await makeAttempt(sending, scope, job, holds)
    if (attempt === 'lost') {
      logger.warn({ queue, jobId: id, environmentId }, 'message left to another process')
      return 'unsent'
    }
    made = attempt
    await whenBack(sending, job, (isRepeated) => recordAttempt(sending, scope, job, attempt, isRepeated))
  } catch (error) {
    const wasMade = made !== undefined
    await whenBack(sending, job, () => recordFailure(sending, job, { error, wasMade })).catch((fault: unknown) => {
      logger.error({ err: loggable(fault), queue, jobId: id, environmentId }, 'job failure not recorded')
    })
  }
  return endingOf(made)
}

interface Failure {
  readonly error: unknown
  /** True if the attempt was made: the message may have been sent. */
  readonly wasMade: boolean
}

/** Returns a failed job to the queue, or gives it up after its last attempt. */
async function recordFailure(
  { gateway, logger }: Delivering,
  job: Job<'deliver'>,
  { error, wasMade }: Failure,
): Promise<void> {
  const { environmentId, id, queue, data, attemptCount } = job
  if (!wasMade && (isLost(error) || isConflict(error))) {
    return returnJobs(gateway.db, [job], { availableAt: gateway.now(), counted: false })
  }
  logger.error({ err: loggable(error), queue, jobId: id, environmentId }, 'job failed')
  if (!attemptsAreUsedUp(attemptCount)) {
    return returnJobs(gateway.db, [job], { availableAt: retryAt(gateway.now(), attemptCount), counted: true })
  }
  await createEnvironmentScope(gateway, environmentId).transaction(async (scope) => {
    const claimed = await claimJobs(scope.db, [job])
    if (claimed.length > 0) await giveUpDelivery(scope, job)
  })
  logger.error({ queue, jobId: id, environmentId, data }, 'job given up')
}
