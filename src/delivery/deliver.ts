// Makes one attempt to send a message through its provider, and records the result.
import type { Logger } from 'pino'
import { createEnvironmentScope, type EnvironmentScope, type Gateway } from '../domain/scope.ts'
import type { SendResult } from '../domain/provider-directory.ts'
import { beginAttempt, endAttempt } from '../engine/attempt.ts'
import type { Message } from '../engine/message.ts'
import type { AttemptResultKind } from '../lib/metrics.ts'
import { inSpan } from '../lib/span.ts'
import type { ProviderHealth } from './provider-health.ts'
import { failed, send, type Sender } from './send.ts'

export interface Delivering extends Sender {
  readonly gateway: Gateway
  readonly logger: Logger
  readonly health: ProviderHealth
}

/** What one attempt led to, for the metrics. */
function resultKind({ failure }: Pick<SendResult, 'failure'>, isRepeated: boolean): AttemptResultKind {
  if (failure === undefined) return 'accepted'
  return isRepeated ? 'retried' : 'failed'
}

/** Sends a message in a span, which the provider receives as its cause. */
function sendInSpan(sender: Sender, { evaluator }: EnvironmentScope, message: Message): Promise<SendResult> {
  const { channel, providerId, integration, deliveryId, eventId, traceparent } = message
  const ids = { 'event.id': eventId, 'delivery.id': deliveryId }
  const attributes = { channel, provider: providerId, integration: integration.identifier, ...ids }
  return inSpan(
    () => ({ name: 'attempt', kind: 'client', parent: traceparent, attributes }),
    async (span) => {
      const result = await send(sender, evaluator, span ? { ...message, traceparent: span.traceparent } : message)
      if (result.failure) span?.fail()
      return result
    },
  )
}

/**
 * Makes one attempt to send a message.
 *
 * @param finish ends the job, in the transaction that records the result. If the process dies before that, the message is
 *   sent again with the same `Idempotency-Key`.
 */
export async function deliver(
  delivering: Delivering,
  { environmentId, deliveryId }: { readonly environmentId: string; readonly deliveryId: string },
  finish: (scope: EnvironmentScope) => Promise<void>,
): Promise<void> {
  const scope = createEnvironmentScope(delivering.gateway, environmentId)
  const startedAt = scope.now()
  const message = await beginAttempt(scope, deliveryId)
  if (message && 'obstacle' in message && message.cause) {
    delivering.logger.error({ err: message.cause, environmentId, deliveryId }, 'message not sent')
  }
  const start = performance.now()
  const result =
    message && ('obstacle' in message ? failed(message.obstacle, true) : await sendInSpan(delivering, scope, message))
  const took = performance.now() - start
  const isRepeated = await scope.transaction(async (inner) => {
    const isRepeated = result !== undefined && (await endAttempt(inner, deliveryId, { startedAt, ...result }))
    await finish(inner)
    return isRepeated
  })
  if (result === undefined || message === undefined || 'obstacle' in message) return
  const { channel, providerId } = message
  scope.metrics.attempted(channel, providerId, resultKind(result, isRepeated), took / 1000)
  delivering.health.note(environmentId, message, result)
}
