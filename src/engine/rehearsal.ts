// Rehearses the messages of a preview: those that the gateway or the provider would reject before anything is sent fail,
// with the code that records a real attempt.
import { priorities } from '../data/queue/job.ts'
import { sendingRulesOf, type SendingRules } from '../domain/access/sending.ts'
import type { Rehearsed } from '../domain/channel/provider-directory.ts'
import type { Scope } from '../domain/resolver/scope.ts'
import { composeOrObstacle, endAttempt } from './attempt.ts'

async function rehearse(scope: Scope, deliveryId: string, rules: SendingRules): Promise<Rehearsed> {
  const composed = await composeOrObstacle(scope, deliveryId)
  if ('obstacle' in composed) {
    return { failure: { reason: composed.obstacle, cause: composed.failureCause, permanent: true, retryAfter: null } }
  }
  const { environmentId, channel, providerId, integration, credentials, target, content, overrides } = composed
  const message = {
    id: deliveryId,
    integration: { environmentId, channel, providerId, ...integration },
    ...{ credentials, target, content, overrides, traceparent: null },
  }
  return scope.providers.rehearse(scope.evaluator, message, rules)
}

/**
 * Ends the messages of steps that would fail without a request, and marks those that would be captured. Call it in a
 * transaction that is rolled back.
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
  let rules: SendingRules | undefined
  for (const { id } of pending) {
    rules ??= await sendingRulesOf(scope)
    const job = { data: { deliveryId: id }, priority: priorities.single }
    for (let continues = true; continues;) {
      const { failure, isCaptured = false } = await rehearse(scope, id, rules)
      if (failure === undefined) {
        if (isCaptured) {
          await db.delivery.update({ where: { environmentId_id: { environmentId, id } }, data: { isCaptured } })
        }
        break
      }
      // It continues if another integration may send it.
      const result = { status: null, answer: null, failure, isCaptured, startedAt: now() }
      continues = await endAttempt(scope, job, result)
      if (continues) scope.forget()
    }
  }
}
