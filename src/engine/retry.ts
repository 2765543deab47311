// Gives up runs that keep failing, and retries failed events, runs and deliveries on request.
import { z } from 'zod'
import { tallies } from '../data/event.ts'
import { holdRunOf } from '../data/delivery.ts'
import { deliverJob, enqueue, priorities } from '../data/queue/job.ts'
import type { Event, WorkflowRun } from '../data/prisma/client.ts'
import { giveUpRuns } from '../data/run-end.ts'
import { shown } from '../domain/execution/delivery.ts'
import { firstRoute } from '../domain/execution/delivery-route.ts'
import { eventReference } from '../domain/trigger/event.ts'
import { failureReasons, statusOf } from '../domain/trigger/event-status.ts'
import { nameIn, notFound, referenceOf } from '../domain/resolver/reference.ts'
import { mutation } from '../domain/resolver/resolver.ts'
import type { EnvironmentScope } from '../domain/resolver/scope.ts'
import { versionsOf, type RetriedVersion, workflowVersions } from '../domain/trigger/current-workflow.ts'
import { digestAhead, loadTriggeredWorkflow } from '../domain/trigger/triggered-workflow.ts'
import { refuse } from '../lib/errors.ts'
import { deadlineJobs } from './expiry.ts'
import { retryRuns } from './retry-runs.ts'

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

type Named = Readonly<Record<string, string>>

function notFailed(noun: Noun, reference: Named, status: string) {
  const [field, named] = nameIn(reference)
  const message = `${noun} "${named}" is ${status}: only a failed ${noun.toLowerCase()} can be retried`
  return refuse('CONFLICT', message, field, named)
}

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
function assertSecrets(noun: Noun, reference: Named, { secretsRemovedAt }: Pick<Event, 'secretsRemovedAt'>): void {
  if (secretsRemovedAt === null) return
  const cause = 'the values of the secret payload fields have been removed'
  const [field, named] = nameIn(reference)
  throw refuse('CONFLICT', `${noun} "${named}" cannot be retried: ${cause}`, field, named)
}

/** Fans out a failed event again. Recipients that have a run keep it. */
export const retryEvent = mutation({
  name: 'event.retry',
  permission: 'event:write',
  rate: { category: 'trigger', cost: 1 },
  input: z.object(eventReference),
  async run(scope, { transactionId, id }) {
    const { db, environmentId, now } = scope
    const event = referenceOf({ transactionId }, { id })
    const [retried] = await db.event.updateManyAndReturn({
      where: { environmentId, ...event, cancelledAt: null, reason: { in: failureReasons } },
      data: { reason: null, detail: null, updatedAt: now() },
    })
    if (retried !== undefined) {
      assertSecrets('Event', event, retried)
      const digestWorkflowId = digestAhead(await loadTriggeredWorkflow(scope, retried), 0)
      // Starts over, but with a place, by which lists find events that have runs and are not fanned out.
      await enqueue(scope, [
        { queue: 'fan_out', data: { eventId: retried.id, place: { subscriber: 0 } }, digestWorkflowId },
      ])
      return retried
    }
    const found = await db.event.findFirst({ where: { environmentId, ...event } })
    if (found === null) throw notFound('Event', event)
    const { runs } = await scope.load(tallies, found.id)
    throw notFailed('Event', event, statusOf(found, runs))
  },
})

/** @throws Refusal `CONFLICT` that says why a run cannot be retried. */
async function refuseRetry(scope: EnvironmentScope, id: string, version: RetriedVersion): Promise<never> {
  const { db, environmentId } = scope
  const conflict = (why: string) => refuse('CONFLICT', `Run "${id}" ${why}`, 'id', id)
  const run = await db.workflowRun.findUnique({
    where: { environmentId_id: { environmentId, id } },
    include: { event: { select: { secretsRemovedAt: true, cancelledAt: true, snapshotHash: true } } },
  })
  if (run === null) throw notFound('Run', { id })
  const { status, event } = run
  if (status !== 'completed' && status !== 'failed') {
    throw conflict(`is ${status}: only a run that has ended can be retried`)
  }
  await assertSubscriberExists(scope, 'Run', id, run)
  if (event.cancelledAt !== null) throw conflict('cannot be retried: its event was cancelled')
  assertSecrets('Run', { id }, event)
  const versioned = (await versionsOf(scope, [event], version)).get(event.snapshotHash)
  if (typeof versioned === 'string') {
    throw conflict(`cannot be retried with the current workflow: workflow "${run.workflowIdentifier}" ${versioned}`)
  }
  throw conflict(`is ${status}: it has no step that can be repeated`)
}

/**
 * Continues a failed run at the step where it stopped, and repeats the steps of a run that were not sent for a reason that
 * may be gone.
 */
export const retryWorkflowRun = mutation({
  name: 'workflowRun.retry',
  permission: 'event:write',
  rate: { category: 'trigger', cost: 1 },
  input: z.object({ id: z.uuid(), workflowVersion: z.enum(workflowVersions).nullish() }),
  async run(scope, { id, workflowVersion }) {
    const { db, environmentId } = scope
    const where = { environmentId_id: { environmentId, id } }
    const found = await db.workflowRun.findUnique({ where, select: { eventId: true } })
    if (found === null) throw notFound('Run', { id })
    const version = workflowVersion ?? 'triggered'
    const count = await retryRuns(scope, [{ id, eventId: found.eventId }], { filter: {}, version }, priorities.single)
    if (count === 0) await refuseRetry(scope, id, version)
    return db.workflowRun.findUniqueOrThrow({ where })
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
    if (found === null) throw notFound('Delivery', { id })
    await holdRunOf(scope, found.stepRunId)
    const { status, expiresAt, timeLimit, ...stored } = await db.delivery.findUniqueOrThrow({
      where,
      select: { status: true, expiresAt: true, timeLimit: true, routes: true },
    })
    if (status !== 'failed') throw notFailed('Delivery', { id }, status)
    await assertSubscriberExists(scope, 'Delivery', id, found.stepRun.run)
    assertSecrets('Delivery', { id }, found.stepRun.run.event)
    const updatedAt = now()
    if (expiresAt !== null && expiresAt <= updatedAt) throw expired(id, expiresAt)
    const timeLimitAt = timeLimit === null ? null : new Date(updatedAt.getTime() + timeLimit * 1000)
    const row = await db.delivery.update({
      where,
      data: { status: 'pending', cause: null, attemptCount: 0, timeLimitAt, updatedAt, ...firstRoute(stored) },
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
