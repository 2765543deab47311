// Sends one message through its provider, and has what came of it written down.
import type { Logger } from 'pino'
import { loggable } from '../data/database-errors.ts'
import { createEnvironmentScope, type EnvironmentScope, type Gateway } from '../domain/scope.ts'
import { type AttemptOutcome, beginAttempt, endAttempt, type Message } from '../engine/attempt.ts'
import { subscriberVariables } from '../engine/run-context.ts'
import type { Outbound } from './outbound.ts'
import { providerFor } from './provider-registry.ts'
import { DeliveryFailure, type Envelope } from './provider.ts'

export interface Delivering {
  readonly gateway: Gateway
  readonly outbound: Outbound
  readonly logger: Logger
}

function envelopeOf({ event, workflow, subscriber, ...message }: Message): Envelope {
  const { identifier, name, severity, tags } = workflow
  return {
    ...message,
    transactionId: event.transactionId,
    contextKeys: event.contextKeys,
    workflow: { identifier, name, severity, tags },
    subscriber: subscriberVariables(subscriber),
  }
}

const failed = (reason: string, permanent: boolean): Omit<AttemptOutcome, 'startedAt'> => ({
  status: null,
  answer: null,
  failure: { reason, permanent, retryAfter: null },
})

async function send({ outbound, logger }: Delivering, message: Message): Promise<Omit<AttemptOutcome, 'startedAt'>> {
  const provider = providerFor(message.providerId)
  if (provider === undefined) {
    return failed(`This gateway has no implementation of the provider ${message.providerId}.`, true)
  }
  try {
    return await provider(envelopeOf(message), outbound)
  } catch (error) {
    if (error instanceof DeliveryFailure) {
      const { status, answer, permanent, retryAfter } = error
      return { status, answer, failure: { reason: error.message, permanent, retryAfter } }
    }
    const { deliveryId, providerId } = message
    logger.error({ err: loggable(error), deliveryId, providerId }, 'a provider failed in a way that it does not know')
    return failed(
      'The provider failed in a way that it does not know; the log has the cause under this delivery.',
      false,
    )
  }
}

/**
 * Tries a message once. What came of it is written down together with what `finish` does, which ends the job: where the
 * process dies before that, the message is tried again, under the same `Idempotency-Key`.
 */
export async function deliver(
  delivering: Delivering,
  { environmentId, deliveryId }: { readonly environmentId: string; readonly deliveryId: string },
  finish: (scope: EnvironmentScope) => Promise<void>,
): Promise<void> {
  const scope = createEnvironmentScope(delivering.gateway, environmentId)
  const startedAt = scope.now()
  const begun = await beginAttempt(scope, deliveryId)
  const outcome = begun && ('obstacle' in begun ? failed(begun.obstacle, true) : await send(delivering, begun))
  await scope.transaction(async (inner) => {
    if (outcome) await endAttempt(inner, deliveryId, { startedAt, ...outcome })
    await finish(inner)
  })
}
