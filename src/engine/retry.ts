// Retries of runs and deliveries that failed for good.
import { z } from 'zod'
import { holdRunOf } from '../data/delivery.ts'
import { advanceJobs, enqueue } from '../data/queue.ts'
import { giveUpRuns } from '../data/run.ts'
import { shown } from '../domain/delivery.ts'
import { mutation } from '../domain/resolver.ts'
import type { EnvironmentScope } from '../domain/scope.ts'
import { refuse } from '../lib/errors.ts'

/** Gives up runs that failed each time they were to go on. What they did before stays. */
export async function failRuns(scope: EnvironmentScope, runIds: readonly string[]): Promise<void> {
  const error = 'The gateway could not take the run further; its log says why.'
  await giveUpRuns(scope, runIds, error, scope.now())
}

/** Has a run that was given up go on where it stood. */
export const retryWorkflowRun = mutation({
  name: 'workflowRun.retry',
  permission: 'event:write',
  rate: { category: 'trigger', cost: 1 },
  input: z.object({ id: z.uuid() }),
  async run(scope, { id }) {
    const { db, environmentId, now } = scope
    // Where it was to go on from a wait, the wait is over: a second one would be too long, and a digest would be lost.
    const wait = await db.stepRun.findFirst({ where: { environmentId, runId: id, status: 'waiting' } })
    const [retried] = await db.workflowRun.updateManyAndReturn({
      where: { environmentId, id, status: 'failed' },
      data: { status: wait ? 'waiting' : 'running', error: null, updatedAt: now() },
    })
    if (retried !== undefined) {
      const due = wait?.dueAt ? { position: wait.position, at: wait.dueAt } : undefined
      await enqueue(scope, advanceJobs([id], due))
      return retried
    }
    const found = await db.workflowRun.findUnique({ where: { environmentId_id: { environmentId, id } } })
    if (found === null) throw refuse('NOT_FOUND', `Run "${id}" not found`, 'id', id)
    throw refuse('CONFLICT', `Run "${id}" is ${found.status}: only one that failed is tried again`, 'id', id)
  },
})

/** Tries a message again that was given up, as if it had never been tried. */
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
    const { status } = await db.delivery.findUniqueOrThrow({ where, select: { status: true } })
    if (status !== 'failed') {
      throw refuse('CONFLICT', `Delivery "${id}" is ${status}: only one that failed is tried again`, 'id', id)
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
