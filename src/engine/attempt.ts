// Attempts to deliver a message: starts one, records its result, and schedules the next one or ends the delivery.
import {
  type AttemptRow,
  countAttempt,
  endDelivery,
  endStep,
  holdDelivery,
  insertAttempt,
  lastErrorOf,
} from '../data/delivery.ts'
import { addTicket } from '../data/queue/push-ticket.ts'
import { advanceJobs, deliverJob, enqueue, type Job, type Priority } from '../data/queue/job.ts'
import type { Delivery } from '../data/prisma/client.ts'
import type { FailureCause } from '../domain/channel/failure-cause.ts'
import { DecryptionError } from '../domain/resolver/decrypt.ts'
import type { SendFailure, SendResult } from '../domain/channel/provider-directory.ts'
import type { EnvironmentScope } from '../domain/resolver/scope.ts'
import { hashToken, isErased, targetOf } from '../domain/execution/target.ts'
import { routeAfter, takeRoute } from '../domain/execution/delivery-route.ts'
import { removeDeviceToken } from '../domain/subscriber-credential.ts'
import { traceIdOf } from '../lib/trace.ts'
import { tellEnd } from '../domain/execution/delivery-end.ts'
import { type StepReason, stepReasons } from '../domain/trigger/step-reason.ts'
import { deadlineOf, isOverdue } from './expiry.ts'
import { recheck } from './decision/suppressed-message.ts'
import { suppressForProvider } from './decision/provider-suppression.ts'
import { composeMessage, type Message, type Obstacle } from './message.ts'

/** The number of attempts after which a delivery fails. They span about four hours. */
export const MAX_DELIVERY_ATTEMPTS = 10

/** Seconds before the second attempt. The pause triples after each further attempt, up to one hour. */
const FIRST_BACKOFF = 5
const BACKOFF_FACTOR = 3
const MAX_BACKOFF = 3600

/** The cause after which the token of the device is removed. */
export const UNREGISTERED = 'device_unregistered' satisfies FailureCause

/** The cause of a message to a suppressed address. If the provider has its address on a list, it is suppressed here too. */
const SUPPRESSED = 'suppressed' satisfies FailureCause

/**
 * Starts an attempt.
 *
 * @returns the message, or the reason why it can never be sent. Undefined if the delivery is no longer pending.
 */
export async function beginAttempt(
  scope: EnvironmentScope,
  deliveryId: string,
): Promise<Message | Obstacle | undefined> {
  const counted = await countAttempt(scope, deliveryId, scope.now())
  if (counted === undefined) return undefined
  const { attemptCount, isLate } = counted
  const deadline = deadlineOf(counted)
  if (isLate && deadline) return { obstacle: stepReasons[deadline.cause], failureCause: deadline.cause }
  // An attempt whose process died was counted, but its result was never recorded.
  if (attemptCount > MAX_DELIVERY_ATTEMPTS) {
    return { obstacle: 'The gateway was interrupted during every attempt.', failureCause: 'interrupted' }
  }
  const composed = await composeOrObstacle(scope, deliveryId)
  const { addressKey } = counted
  return addressKey === null || 'obstacle' in composed ? composed : unlessSuppressed(scope, addressKey, composed)
}

/** Checks again whether the addresses of a message are suppressed: one may have been since the step was decided. */
async function unlessSuppressed(
  scope: EnvironmentScope,
  addressKey: string,
  message: Message,
): Promise<Message | Obstacle> {
  const { integration, contextKeys, isCritical } = message
  const of = { scope, addressKey, integrationId: integration.id, contextKeys, isCritical }
  const checked = await recheck(of, message)
  return 'suppressed' in checked ? { obstacle: checked.suppressed, failureCause: SUPPRESSED } : checked
}

/** Composes a message. @returns the obstacle if it can never be sent, also because secrets cannot be decrypted. */
export async function composeOrObstacle(scope: EnvironmentScope, deliveryId: string): Promise<Message | Obstacle> {
  try {
    return await composeMessage(scope, deliveryId)
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error
    const obstacle = `The secrets of the ${error.owner} cannot be decrypted.`
    return { obstacle, failureCause: 'credentials_unreadable', cause: error }
  }
}

/** The properties of a job that are needed for an attempt. */
type DeliverJob = Pick<Job<'deliver'>, 'data' | 'priority' | 'isLast'>

/** The result of an attempt. */
export interface AttemptResult extends SendResult {
  readonly startedAt: Date
}

/** The pause before the next attempt, in seconds. Randomized, so that messages that failed together spread out. */
function backoffAfter(attemptCount: number): number {
  const longest = Math.min(FIRST_BACKOFF * BACKOFF_FACTOR ** (attemptCount - 1), MAX_BACKOFF)
  return longest / 2 + (Math.random() * longest) / 2
}

/** The time of the next attempt, or null if the delivery ends with this result. */
export function nextAttemptAt(
  { attemptCount }: Pick<Delivery, 'attemptCount'>,
  failure: AttemptResult['failure'],
  endedAt: Date,
): Date | null {
  if (failure === undefined || failure.permanent || attemptCount >= MAX_DELIVERY_ATTEMPTS) return null
  const pause = Math.max(backoffAfter(attemptCount), Math.min(failure.retryAfter ?? 0, MAX_BACKOFF))
  return new Date(endedAt.getTime() + pause * 1000)
}

/** The result without the provider's response, which may contain the subscriber's name. */
const anonymous = ({ failure, ticket: _ticket, providerMessageId: _id, ...result }: AttemptResult): AttemptResult => ({
  ...result,
  answer: null,
  ...(failure && { failure: { ...failure, reason: stepReasons.subscriber_deleted } }),
})

/**
 * Removes the token of a message's device from the credentials that it came from, because the provider says that the
 * device is no longer registered. The transaction must not hold a lock on a run: see docs/decisions/lock-order.md.
 *
 * @returns false if the message is gone, or the credentials do not have the token any more.
 */
export async function removeUnregisteredDevice(scope: EnvironmentScope, deliveryId: string): Promise<boolean> {
  const { db, environmentId, log } = scope
  const delivery = await db.delivery.findUnique({
    where: { environmentId_id: { environmentId, id: deliveryId } },
    select: {
      target: true,
      providerId: true,
      integrationIdentifier: true,
      stepRun: { select: { run: { select: { subscriberId: true } } } },
    },
  })
  if (delivery === null) return false
  const target = targetOf(delivery.target)
  if (target.kind !== 'device') return false
  const { tokenHash, credential } = target
  const { id } = credential
  const { subscriberId } = delivery.stepRun.run
  const isUnregistered = (token: string) => hashToken(token) === tokenHash
  if (id === null || !(await removeDeviceToken(scope, { subscriberId, id }, isUnregistered))) return false
  const { providerId: provider, integrationIdentifier: integration } = delivery
  const fields = { environmentId, subscriberId, deliveryId, provider, integration }
  scope.afterCommit(() => log.info(fields, 'device token removed'))
  return true
}

/** The integration of an attempt. A delivery with one route has the same for all attempts, so that none stores it. */
export const attemptedBy = ({
  routes,
  integrationIdentifier,
  providerId,
}: Pick<Delivery, 'routes' | 'integrationIdentifier' | 'providerId'>): Pick<
  AttemptRow,
  'integrationIdentifier' | 'providerId'
> => (routes === null ? {} : { integrationIdentifier, providerId })

/**
 * Records the result of the attempt of a job. Schedules the next attempt, or ends the delivery and, with the last one,
 * its step.
 *
 * @param isTaken true if another process has taken the job since, and makes the next attempt. Default: false.
 * @returns true if another attempt follows.
 */
export async function endAttempt(
  scope: EnvironmentScope,
  { data: { deliveryId }, priority, isLast = false }: DeliverJob,
  result: AttemptResult,
  isTaken = false,
): Promise<boolean> {
  // Subscribers are locked before runs: see docs/decisions/lock-order.md.
  if (result.failure?.cause === UNREGISTERED) await removeUnregisteredDevice(scope, deliveryId)
  const held = await holdDelivery(scope, deliveryId)
  if (held === undefined) return false
  if (result.failure?.cause === SUPPRESSED) await suppressForProvider(scope, held, result)
  const ended = isErased(held) ? anonymous(result) : result
  const {
    failure,
    startedAt,
    status,
    answer,
    isCaptured = false,
    redirectedTo = null,
    ticket,
    providerMessageId = null,
  } = ended
  const endedAt = scope.now()
  // Nothing was attempted.
  if (isOverdue(failure?.cause)) {
    if (held.status === 'pending' && !isTaken) await endOverdueDelivery(scope, held, priority)
    return false
  }
  const isOpen = held.status === 'pending' && !isTaken
  const route = isOpen && failure ? await routeAfter(scope, held, failure) : undefined
  const followingAt = isOpen && !isLast ? (route ? endedAt : nextAttemptAt(held, failure, endedAt)) : null
  const deadline = deadlineOf(held)
  const isInTime = followingAt !== null && (deadline === undefined || followingAt < deadline.at)
  const nextAt = isInTime ? followingAt : null
  const error = failure?.reason ?? null
  const through = { ...attemptedBy(held), ...(route && isInTime && { nextRouteReason: route.reason }) }
  await insertAttempt(scope, {
    ...{ deliveryId, error, status, answer, isCaptured, redirectedTo, startedAt, endedAt, nextAt },
    ...through,
  })
  if (ticket !== undefined) await addTicket(scope, held, ticket, endedAt)
  // If a job expired and a second attempt ran in parallel, the successful one counts.
  if (held.status === 'sent') return false
  if (failure && isTaken) return true
  // The message was cancelled, or overdue, before the attempt ended.
  if (failure && held.status !== 'pending') return false
  if (nextAt !== null) {
    const { integrationId } = route ? await takeRoute(scope, held, route) : held
    await enqueue(scope, [deliverJob({ id: held.id, integrationId }, { dueAt: nextAt, priority })])
    return true
  }
  if (followingAt !== null && deadline !== undefined) {
    // Ends the message at its deadline.
    await enqueue(scope, [deliverJob(held, { dueAt: deadline.at, priority })])
    return false
  }
  await endMessage(scope, held, failure, priority, { isCaptured, providerMessageId })
  return false
}

/** Fails a delivery whose results could not be recorded in any attempt of its job. */
export async function giveUpDelivery(
  scope: EnvironmentScope,
  { data: { deliveryId }, priority }: DeliverJob,
): Promise<void> {
  const held = await holdDelivery(scope, deliveryId)
  if (held?.status !== 'pending') return
  const reason = 'The result could not be saved; see the log.'
  await endMessage(scope, held, { reason, cause: 'interrupted' }, priority)
}

/** Ends a pending message that was not sent in time. The transaction must hold a lock on its run. */
export async function endOverdueDelivery(
  scope: EnvironmentScope,
  delivery: Delivery,
  priority: Priority,
): Promise<void> {
  const cause = deadlineOf(delivery)?.cause ?? 'expired'
  const error = delivery.attemptCount === 0 ? null : await lastErrorOf(scope, delivery.id)
  const reason = error === null ? stepReasons[cause] : `${stepReasons[cause]} The last error: ${error}`
  await endMessage(scope, delivery, { reason, cause }, priority)
}

/**
 * Ends a delivery. The last delivery also ends the step, and a run that waits for the step continues.
 *
 * @param sent whether nothing was sent, and the provider's id of the message. Default: as before.
 */
async function endMessage(
  scope: EnvironmentScope,
  delivery: Delivery,
  failure: Pick<SendFailure, 'reason' | 'cause'> | undefined,
  priority: Priority,
  sent: Pick<Delivery, 'isCaptured' | 'providerMessageId'> = delivery,
): Promise<void> {
  const { now, metrics } = scope
  const { id, stepRunId, channel, providerId } = delivery
  const { isCaptured, providerMessageId } = sent
  const updatedAt = now()
  const status = failure === undefined ? 'sent' : 'failed'
  const cause = failure?.cause ?? null
  await endDelivery(scope, id, { status, cause, isCaptured, providerMessageId, updatedAt })
  const end = cause === UNREGISTERED ? 'unregistered' : status
  scope.afterCommit(() => metrics.messagesEnded(channel, providerId, end, 1))
  await tellEnd(scope, delivery, failure)
  if (failure !== undefined) await logFailure(scope, delivery, failure.reason)
  const reason: StepReason = isOverdue(cause) || cause === SUPPRESSED ? cause : 'refused'
  const detail = failure?.reason ?? stepReasons.refused
  const run = await endStep(scope, stepRunId, { reason, detail, cause }, updatedAt)
  if (run?.status === 'waiting') await enqueue(scope, advanceJobs([run.id], { priority }))
}

/** Logs a message that will not be attempted again. */
async function logFailure(scope: EnvironmentScope, delivery: Delivery, reason: string): Promise<void> {
  const { db, environmentId, log } = scope
  const { id, stepRunId, channel, providerId, integrationIdentifier, attemptCount } = delivery
  const { run } = await db.stepRun.findUniqueOrThrow({
    where: { environmentId_id: { environmentId, id: stepRunId } },
    select: {
      run: { select: { subscriberId: true, event: { select: { id: true, transactionId: true, traceparent: true } } } },
    },
  })
  const { subscriberId, event } = run
  const { traceparent } = event
  const fields = {
    ...{ environmentId, eventId: event.id, transactionId: event.transactionId, deliveryId: id },
    ...(isErased(delivery) ? {} : { subscriberId }),
    ...(traceparent !== null && { traceId: traceIdOf({ traceparent }) }),
    ...{ channel, provider: providerId, integration: integrationIdentifier, attempts: attemptCount, reason },
  }
  scope.afterCommit(() => log.warn(fields, 'message failed'))
}
