// Sends one message through its provider, and turns what the provider throws into a result.
import type { Logger } from 'pino'
import { loggable } from '../../data/driver/database-errors.ts'
import type { FailureCause } from '../../domain/channel/failure-cause.ts'
import type { SendResult } from '../../domain/channel/provider-directory.ts'
import type { Message } from '../../engine/message.ts'
import type { EnvironmentEvaluator } from '../../evaluation/evaluator.ts'
import { withPlainText } from '../provider-kit/content.ts'
import type { Outbound } from '../network/outbound.ts'
import { providerFor } from './provider-registry.ts'
import { DeliveryFailure } from '../provider-kit/provider.ts'

export interface Sender {
  readonly outbound: Outbound
  readonly logger: Pick<Logger, 'error'>
}

export const failed = (reason: string, permanent: boolean, cause: FailureCause): SendResult => ({
  status: null,
  answer: null,
  failure: { reason, permanent, cause, retryAfter: null },
})

/** Makes one attempt. Never throws. */
export async function send(
  { outbound, logger }: Sender,
  evaluator: EnvironmentEvaluator,
  message: Message,
): Promise<SendResult> {
  const provider = providerFor(message.providerId)
  if (provider === undefined) {
    return failed(
      `This gateway does not implement the provider ${message.providerId}.`,
      true,
      'provider_not_implemented',
    )
  }
  try {
    return await provider.send(await withPlainText(evaluator, message), outbound)
  } catch (error) {
    if (error instanceof DeliveryFailure) {
      const { status, answer, permanent, retryAfter, failureCause: cause } = error
      return { status, answer, failure: { reason: error.message, permanent, cause, retryAfter } }
    }
    const { environmentId, deliveryId, providerId, secrets } = message
    // An error in the provider's code may quote the content.
    const providerError = secrets.length > 0 && error instanceof Error ? { type: error.name } : loggable(error)
    logger.error({ providerError, environmentId, deliveryId, providerId }, 'provider failed unexpectedly')
    return failed('Unexpected provider error; see the log entry for this delivery.', false, 'interrupted')
  }
}
