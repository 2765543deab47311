// Rehearses the messages of a preview: those that the gateway or the provider would reject before anything is sent fail,
// with the code that records a real attempt.
import { priorities } from '../data/queue/job.ts'
import type { SendFailure } from '../domain/channel/provider-directory.ts'
import type { Scope } from '../domain/resolver/scope.ts'
import { composeOrObstacle, endAttempt } from './attempt.ts'

/** @returns undefined if the message would be sent. */
async function failureOf(scope: Scope, deliveryId: string): Promise<SendFailure | undefined> {
  const composed = await composeOrObstacle(scope, deliveryId)
  if ('obstacle' in composed) {
    return { reason: composed.obstacle, cause: composed.failureCause, permanent: true, retryAfter: null }
  }
  const { environmentId, channel, providerId, integration, credentials, target, content } = composed
  return scope.providers.rehearse(scope.evaluator, {
    id: deliveryId,
    integration: { environmentId, channel, providerId, ...integration },
    ...{ credentials, target, content, traceparent: null },
  })
}

/**
 * Ends the messages of steps that would fail without a request. Call it in a transaction that is rolled back.
 *
 * @param runIds the runs of the preview.
 */
export async function rehearseMessages(scope: Scope, runIds: readonly string[]): Promise<void> {
  const { db, environmentId, now } = scope
  const pending = await db.delivery.findMany({
    where: { environmentId, status: 'pending', stepRun: { runId: { in: [...runIds] }, status: 'sending' } },
    select: { id: true },
    orderBy: { id: 'asc' },
  })
  for (const { id } of pending) {
    const failure = await failureOf(scope, id)
    if (failure === undefined) continue
    const job = { data: { deliveryId: id }, priority: priorities.single }
    await endAttempt(scope, job, { status: null, answer: null, failure, startedAt: now() })
  }
}
