// Sends one message through its provider, and has what came of it written down.
import type { Logger } from 'pino'
import { loggable } from '../data/failure.ts'
import { beginTry, endTry, type Message, type TryOutcome } from '../domain/delivery-try.ts'
import { subscriberFacts } from '../domain/journey.ts'
import { createWorkspace, type Gateway, type Workspace } from '../domain/scope.ts'
import type { Outbound } from './outbound.ts'
import { DeliveryFailure, type Envelope } from './provider.ts'
import { providerFor } from './providers.ts'

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
    subscriber: subscriberFacts(subscriber),
  }
}

const failed = (reason: string, permanent: boolean): Omit<TryOutcome, 'startedAt'> => ({
  status: null,
  answer: null,
  failure: { reason, permanent, retryAfter: null },
})

async function send({ outbound, logger }: Delivering, message: Message): Promise<Omit<TryOutcome, 'startedAt'>> {
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
  finish: (workspace: Workspace) => Promise<void>,
): Promise<void> {
  const workspace = createWorkspace(delivering.gateway, environmentId)
  const startedAt = workspace.now()
  const begun = await beginTry(workspace, deliveryId)
  const outcome = begun && ('obstacle' in begun ? failed(begun.obstacle, true) : await send(delivering, begun))
  await workspace.transaction(async (inner) => {
    if (outcome) await endTry(inner, deliveryId, { startedAt, ...outcome })
    await finish(inner)
  })
}
