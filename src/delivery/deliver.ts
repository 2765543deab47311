// Makes one attempt to send a message through its provider, and records the result.
import type { Logger } from 'pino'
import { loggable } from '../data/database-errors.ts'
import { createEnvironmentScope, type EnvironmentScope, type Gateway } from '../domain/scope.ts'
import { type AttemptResult, beginAttempt, endAttempt } from '../engine/attempt.ts'
import type { Message } from '../engine/message.ts'
import type { AttemptResultKind } from '../lib/metrics.ts'
import { inSpan } from '../lib/span.ts'
import { withPlainText } from './content.ts'
import type { Outbound } from './outbound.ts'
import type { ProviderHealth } from './provider-health.ts'
import { providerFor } from './provider-registry.ts'
import { DeliveryFailure } from './provider.ts'

export interface Delivering {
  readonly gateway: Gateway
  readonly outbound: Outbound
  readonly logger: Logger
  readonly health: ProviderHealth
}

const failed = (reason: string, permanent: boolean): Omit<AttemptResult, 'startedAt'> => ({
  status: null,
  answer: null,
  failure: { reason, permanent, retryAfter: null },
})

/** What one attempt led to, for the metrics. */
function resultKind({ failure }: Pick<AttemptResult, 'failure'>, isRepeated: boolean): AttemptResultKind {
  if (failure === undefined) return 'accepted'
  return isRepeated ? 'retried' : 'failed'
}

async function send(
  { outbound, logger }: Pick<Delivering, 'outbound' | 'logger'>,
  { evaluator }: EnvironmentScope,
  message: Message,
): Promise<Omit<AttemptResult, 'startedAt'>> {
  const provider = providerFor(message.providerId)
  if (provider === undefined) {
    return failed(`This gateway does not implement the provider ${message.providerId}.`, true)
  }
  try {
    return await provider(await withPlainText(evaluator, message), outbound)
  } catch (error) {
    if (error instanceof DeliveryFailure) {
      const { status, answer, permanent, retryAfter } = error
      return { status, answer, failure: { reason: error.message, permanent, retryAfter } }
    }
    const { deliveryId, providerId } = message
    logger.error({ err: loggable(error), deliveryId, providerId }, 'provider failed unexpectedly')
    return failed('Unexpected provider error; see the log entry for this delivery.', false)
  }
}

/** Sends a message in a span, which the provider receives as its cause. */
function sendInSpan(
  delivering: Pick<Delivering, 'outbound' | 'logger'>,
  scope: EnvironmentScope,
  message: Message,
): Promise<Omit<AttemptResult, 'startedAt'>> {
  const { channel, providerId, integration, deliveryId, eventId, traceparent } = message
  const ids = { 'event.id': eventId, 'delivery.id': deliveryId }
  const attributes = { channel, provider: providerId, integration: integration.identifier, ...ids }
  return inSpan(
    () => ({ name: 'attempt', kind: 'client', parent: traceparent, attributes }),
    async (span) => {
      const result = await send(delivering, scope, span ? { ...message, traceparent: span.traceparent } : message)
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
