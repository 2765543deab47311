// Executes jobs that send a message. They have no transaction around them, because providers can be slow.
import { isLost, loggable } from '../data/database-errors.ts'
import { claimJobs, finishJob, returnJobs } from '../data/job-taking.ts'
import type { Job } from '../data/job.ts'
import { createEnvironmentScope } from '../domain/scope.ts'
import { giveUpDelivery } from '../engine/attempt.ts'
import { deliver, type Delivering } from './deliver.ts'
import { attemptsAreUsedUp, retryAt } from './job-attempts.ts'

/** Attempts to send a message. If the result cannot be recorded, the message is sent again with the same key. */
export async function sendMessage(delivering: Delivering, job: Job<'deliver'>): Promise<void> {
  const { logger } = delivering
  const { environmentId, id, queue, data } = job
  try {
    await deliver(delivering, { environmentId, ...data }, ({ db }) => finishJob(db, job))
  } catch (error) {
    logger.error({ err: loggable(error), queue, jobId: id }, 'job failed')
    // The database is away: the job is taken again when its time is over.
    if (isLost(error)) return
    await recordFailure(delivering, job).catch((fault: unknown) => {
      logger.error({ err: loggable(fault), queue, jobId: id }, 'job failure not recorded')
    })
  }
}

async function recordFailure({ gateway, logger }: Delivering, job: Job<'deliver'>): Promise<void> {
  const { environmentId, id, queue, data, attemptCount } = job
  if (!attemptsAreUsedUp(attemptCount)) {
    return returnJobs(gateway.db, [job], { availableAt: retryAt(gateway.now(), attemptCount), counted: true })
  }
  await createEnvironmentScope(gateway, environmentId).transaction(async (scope) => {
    const claimed = await claimJobs(scope.db, [job])
    if (claimed.length > 0) await giveUpDelivery(scope, data.deliveryId)
  })
  logger.error({ queue, jobId: id, environmentId, data }, 'job given up')
}
