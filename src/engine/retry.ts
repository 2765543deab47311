// Gives up runs that keep failing, and retries failed events, runs and deliveries on request.
import { z } from 'zod'
import { tallies } from '../data/event.ts'
import { holdRunOf } from '../data/delivery.ts'
import { advanceJobs, deliverJob, enqueue } from '../data/queue/job.ts'
import type { Event, WorkflowRun } from '../data/prisma/client.ts'
import { giveUpRuns } from '../data/run-end.ts'
import { shown } from '../domain/execution/delivery.ts'
import { failureReasons, statusOf } from '../domain/trigger/event-status.ts'
import { mutation } from '../domain/resolver/resolver.ts'
import type { EnvironmentScope } from '../domain/resolver/scope.ts'
import { digestAhead, loadTriggeredWorkflow } from '../domain/trigger/triggered-workflow.ts'
import { refuse } from '../lib/errors.ts'
import { deadlineJobs } from './expiry.ts'

/**
 * Marks runs as failed after the last attempt to advance them. Their completed steps stay.
 *
 * @param cause completes a sentence that ends with "because".
 */
export async function failRuns(scope: EnvironmentScope, runIds: readonly string[], cause: string): Promise<void> {
  const count = await giveUpRuns(scope, runIds, `The run could not be continued because ${cause}.`, scope.now())
  scope.afterCommit(() => scope.metrics.runsFailed(count))
}

/** The objects that can be retried. */
type Noun = 'Event' | 'Run' | 'Delivery'

const notFound = (noun: Noun, id: string) => refuse('NOT_FOUND', `${noun} "${id}" not found`, 'id', id)

const notFailed = (noun: Noun, id: string, status: string) =>
  refuse('CONFLICT', `${noun} "${id}" is ${status}: only a failed ${noun.toLowerCase()} can be retried`, 'id', id)

const expired = (id: string, expiresAt: Date) =>
  refuse('CONFLICT', `Delivery "${id}" cannot be retried: its message expired at ${expiresAt.toISOString()}`, 'id', id)

/** @throws Refusal `CONFLICT` if the subscriber of a run or delivery was deleted. */
async function assertSubscriberExists(
  { db, environmentId }: EnvironmentScope,
  noun: Noun,
  id: string,
  { subscriberRowId }: Pick<WorkflowRun, 'subscriberRowId'>,
): Promise<void> {
  const found = await db.subscriber.findFirst({ where: { environmentId, id: subscriberRowId }, select: { id: true } })
  if (found === null) {
    throw refuse('CONFLICT', `${noun} "${id}" cannot be retried: its subscriber was deleted`, 'id', id)
  }
}

/** @throws Refusal `CONFLICT` if the values of secret fields were removed, so that nothing can be sent any more. */
function assertSecrets(noun: Noun, id: string, { secretsRemovedAt }: Pick<Event, 'secretsRemovedAt'>): void {
  if (secretsRemovedAt === null) return
  const cause = 'the values of the secret payload fields have been removed'
  throw refuse('CONFLICT', `${noun} "${id}" cannot be retried: ${cause}`, 'id', id)
}

/** Fans out a failed event again. Recipients that have a run keep it. */
export const retryEvent = mutation({
  name: 'event.retry',
  permission: 'event:write',
  rate: { category: 'trigger', cost: 1 },
  input: z.object({ id: z.uuid() }),
  async run(scope, { id }) {
    const { db, environmentId, now } = scope
    const [retried] = await db.event.updateManyAndReturn({
      where: { environmentId, id, cancelledAt: null, reason: { in: failureReasons } },
      data: { reason: null, detail: null, updatedAt: now() },
    })
    if (retried !== undefined) {
      assertSecrets('Event', id, retried)
      const digestWorkflowId = digestAhead(await loadTriggeredWorkflow(scope, retried), 0)
      // Starts over, but with a place, by which lists find events that have runs and are not fanned out.
      await enqueue(scope, [{ queue: 'fan_out', data: { eventId: id, place: { subscriber: 0 } }, digestWorkflowId }])
      return retried
    }
    const found = await db.event.findUnique({ where: { environmentId_id: { environmentId, id } } })
    if (found === null) throw notFound('Event', id)
    const { runs } = await scope.load(tallies, id)
    throw notFailed('Event', id, statusOf(found, runs))
  },
})

/** Continues a failed run at the step where it stopped. */
export const retryWorkflowRun = mutation({
  name: 'workflowRun.retry',
  permission: 'event:write',
  rate: { category: 'trigger', cost: 1 },
  input: z.object({ id: z.uuid() }),
  async run(scope, { id }) {
    const { db, environmentId, now } = scope
    // A wait is not started again, because that would delay the run twice or lose the digest's triggers.
    const wait = await db.stepRun.findFirst({ where: { environmentId, runId: id, status: 'waiting' } })
    const [retried] = await db.workflowRun.updateManyAndReturn({
      where: { environmentId, id, status: 'failed' },
      data: { status: wait ? 'waiting' : 'running', error: null, updatedAt: now() },
      include: { event: { select: { secretsRemovedAt: true } } },
    })
    if (retried !== undefined) {
      assertSecrets('Run', id, retried.event)
      await assertSubscriberExists(scope, 'Run', id, retried)
      const timing = wait?.dueAt ? { position: wait.position, dueAt: wait.dueAt } : {}
      await enqueue(scope, advanceJobs([id], timing))
      return retried
    }
    const found = await db.workflowRun.findUnique({ where: { environmentId_id: { environmentId, id } } })
    if (found === null) throw notFound('Run', id)
    throw notFailed('Run', id, found.status)
  },
})

/** Sends a failed delivery again, with a new count of attempts and a new time limit. */
export const retryDelivery = mutation({
  name: 'delivery.retry',
  permission: 'event:write',
  rate: { category: 'trigger', cost: 1 },
  input: z.object({ id: z.uuid() }),
  async run(scope, { id }) {
    const { db, environmentId, now } = scope
    const where = { environmentId_id: { environmentId, id } }
    const found = await db.delivery.findUnique({
      where,
      select: {
        stepRunId: true,
        stepRun: {
          select: {
            runId: true,
            position: true,
            run: { select: { subscriberRowId: true, event: { select: { secretsRemovedAt: true } } } },
          },
        },
      },
    })
    if (found === null) throw notFound('Delivery', id)
    await holdRunOf(scope, found.stepRunId)
    const { status, expiresAt, timeLimit } = await db.delivery.findUniqueOrThrow({
      where,
      select: { status: true, expiresAt: true, timeLimit: true },
    })
    if (status !== 'failed') throw notFailed('Delivery', id, status)
    await assertSubscriberExists(scope, 'Delivery', id, found.stepRun.run)
    assertSecrets('Delivery', id, found.stepRun.run.event)
    const updatedAt = now()
    if (expiresAt !== null && expiresAt <= updatedAt) throw expired(id, expiresAt)
    const timeLimitAt = timeLimit === null ? null : new Date(updatedAt.getTime() + timeLimit * 1000)
    const row = await db.delivery.update({
      where,
      data: { status: 'pending', cause: null, attemptCount: 0, timeLimitAt, updatedAt },
    })
    await db.stepRun.update({
      where: { environmentId_id: { environmentId, id: found.stepRunId } },
      data: { status: 'sending', reason: null, detail: null, cause: null, updatedAt },
    })
    const { runId, position } = found.stepRun
    await enqueue(scope, [deliverJob(row, {}), ...deadlineJobs([{ runId, position, expiresAt, timeLimitAt }])])
    return shown(row)
  },
})
