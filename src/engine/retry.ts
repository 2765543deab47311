// Gives up runs that keep failing, and retries failed events, runs and deliveries on request.
import { z } from 'zod'
import { tallies } from '../data/event.ts'
import { holdRunOf } from '../data/delivery.ts'
import { advanceJobs, enqueue } from '../data/job.ts'
import { giveUpRuns } from '../data/run.ts'
import { shown } from '../domain/delivery.ts'
import { failureReasons, statusOf } from '../domain/event-status.ts'
import { mutation } from '../domain/resolver.ts'
import type { EnvironmentScope } from '../domain/scope.ts'
import { isErased } from '../domain/target.ts'
import { digestAhead, loadTriggeredWorkflow } from '../domain/triggered-workflow.ts'
import { refuse } from '../lib/errors.ts'

/**
 * Marks runs as failed after the last attempt to advance them. Their completed steps stay.
 *
 * @param cause the end of a sentence that continues "because".
 */
export async function failRuns(scope: EnvironmentScope, runIds: readonly string[], cause: string): Promise<void> {
  await giveUpRuns(scope, runIds, `The run could not be continued because ${cause}.`, scope.now())
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
      const digestWorkflowId = digestAhead(await loadTriggeredWorkflow(scope, retried), 0)
      await enqueue(scope, [{ queue: 'fan_out', data: { eventId: id }, digestWorkflowId }])
      return retried
    }
    const found = await db.event.findUnique({ where: { environmentId_id: { environmentId, id } } })
    if (found === null) throw refuse('NOT_FOUND', `Event "${id}" not found`, 'id', id)
    const { runs } = await scope.load(tallies, id)
    throw refuse('CONFLICT', `Event "${id}" is ${statusOf(found, runs)}: only a failed event can be retried`, 'id', id)
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
    // A wait is not started again: that would delay the run twice, or lose the digest's triggers.
    const wait = await db.stepRun.findFirst({ where: { environmentId, runId: id, status: 'waiting' } })
    const [retried] = await db.workflowRun.updateManyAndReturn({
      where: { environmentId, id, status: 'failed' },
      data: { status: wait ? 'waiting' : 'running', error: null, updatedAt: now() },
    })
    if (retried !== undefined) {
      const recipient = { environmentId, id: retried.subscriberRowId }
      if ((await db.subscriber.findFirst({ where: recipient, select: { id: true } })) === null) {
        throw refuse('CONFLICT', `Run "${id}" cannot be retried: its subscriber was deleted`, 'id', id)
      }
      const timing = wait?.dueAt ? { position: wait.position, dueAt: wait.dueAt } : {}
      await enqueue(scope, advanceJobs([id], timing))
      return retried
    }
    const found = await db.workflowRun.findUnique({ where: { environmentId_id: { environmentId, id } } })
    if (found === null) throw refuse('NOT_FOUND', `Run "${id}" not found`, 'id', id)
    throw refuse('CONFLICT', `Run "${id}" is ${found.status}: only a failed run can be retried`, 'id', id)
  },
})

/** Sends a failed delivery again, with a new count of attempts. */
export const retryDelivery = mutation({
  name: 'delivery.retry',
  permission: 'event:write',
  rate: { category: 'trigger', cost: 1 },
  input: z.object({ id: z.uuid() }),
  async run(scope, { id }) {
    const { db, environmentId, now } = scope
    const where = { environmentId_id: { environmentId, id } }
    const found = await db.delivery.findUnique({ where, select: { stepRunId: true } })
    if (found === null) throw refuse('NOT_FOUND', `Delivery "${id}" not found`, 'id', id)
    await holdRunOf(scope, found.stepRunId)
    const { status, target } = await db.delivery.findUniqueOrThrow({ where, select: { status: true, target: true } })
    if (status !== 'failed') {
      throw refuse('CONFLICT', `Delivery "${id}" is ${status}: only a failed delivery can be retried`, 'id', id)
    }
    if (isErased({ target })) {
      throw refuse('CONFLICT', `Delivery "${id}" cannot be retried: its subscriber was deleted`, 'id', id)
    }
    const updatedAt = now()
    const row = await db.delivery.update({ where, data: { status: 'pending', attemptCount: 0, updatedAt } })
    await db.stepRun.update({
      where: { environmentId_id: { environmentId, id: found.stepRunId } },
      data: { status: 'sending', reason: null, detail: null, updatedAt },
    })
    await enqueue(scope, [{ queue: 'deliver', data: { deliveryId: id } }])
    return shown(row)
  },
})
