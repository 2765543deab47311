// Sends one message through its provider, and turns what the provider throws into a result. Messages of environments that
// capture or redirect end here or go elsewhere.
import type { Logger } from 'pino'
import { loggable } from '../../data/driver/database-errors.ts'
import type { SendingRules } from '../../domain/access/sending.ts'
import type { FailureCause } from '../../domain/channel/failure-cause.ts'
import { withToken } from '../../domain/channel/unsubscribe-link.ts'
import type { SendResult } from '../../domain/channel/provider-directory.ts'
import type { Message } from '../../engine/message.ts'
import type { EnvironmentEvaluator } from '../../evaluation/evaluator.ts'
import { present } from '../../lib/present.ts'
import { withPlainText } from '../provider-kit/content.ts'
import type { Outbound } from '../network/outbound.ts'
import { handlingOf } from './capture.ts'
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

/** The result of an attempt that a provider did not accept. */
export function resultOf(error: DeliveryFailure): SendResult {
  const { status, answer, permanent, retryAfter, failureCause: cause } = error
  return { status, answer, failure: { reason: error.message, permanent, cause, retryAfter } }
}

/**
 * Makes one attempt. Never fails because of the provider.
 *
 * @param readRules reads what the environment does with messages. Called last, so that a change of it has an effect on
 *   messages that are composed already.
 */
export async function send(
  sender: Sender,
  evaluator: EnvironmentEvaluator,
  composed: Message,
  readRules: () => Promise<SendingRules>,
): Promise<SendResult> {
  const handling = handlingOf(await readRules(), composed)
  if ('captured' in handling) return handling.captured
  const { message, redirectedTo } = handling
  const result = await sendThrough(sender, evaluator, withOwnLinks(message))
  return redirectedTo === undefined ? result : { ...result, redirectedTo }
}

/** Puts the token of a message in the place of the example in its links. */
const withOwnLinks = ({ content, eventId, linkToken, ...others }: Message): Message => ({
  ...others,
  ...{ eventId, linkToken },
  content: linkToken === null ? content : withToken(content, eventId, linkToken),
})

async function sendThrough(
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
    const receipt = await provider.send(await withPlainText(evaluator, message), outbound)
    const { status, answer, ticket, providerMessageId } = receipt
    return { status, answer, ...present({ ticket, providerMessageId }) }
  } catch (error) {
    if (error instanceof DeliveryFailure) return resultOf(error)
    const { environmentId, deliveryId, providerId, secrets } = message
    // An error in the provider's code may quote the content.
    const providerError = secrets.length > 0 && error instanceof Error ? { type: error.name } : loggable(error)
    logger.error({ providerError, environmentId, deliveryId, providerId }, 'provider failed unexpectedly')
    return failed('Unexpected provider error; see the log entry for this delivery.', false, 'interrupted')
  }
}
