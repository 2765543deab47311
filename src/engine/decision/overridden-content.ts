// The content of a message with the overrides of its event.
import type { Content } from '../../domain/channel/content.ts'
import { objectionToAddresses } from '../../domain/channel/email-override.ts'
import { type ProviderId, providerOf } from '../../domain/channel/provider-id.ts'
import { isOfEmail, sentContent } from '../../domain/channel/sent-content.ts'
import { overriddenContent } from '../../domain/trigger/overrides.ts'
import type { ChannelStep } from '../../domain/workflow-step.ts'
import type { JsonObject } from '../../lib/validation.ts'
import type { Destination } from './destination.ts'

interface Contents {
  /** With masks in place of secret values. */
  readonly content: Content
  /** With secret values. Undefined if there are none. */
  readonly secretContent?: Content | undefined
}

/** The providers through which a message may be sent. */
const providersOf = ({ providerId, routes = [] }: Destination): readonly ProviderId[] => [
  providerId,
  ...routes.map((route) => providerOf(route.providerId)),
]

/**
 * Returns both forms of the content with the overrides.
 *
 * @returns a sentence if the content could not be sent with them.
 */
export function overriddenContents(
  { content: given, secretContent }: Contents,
  overrides: JsonObject,
  step: ChannelStep,
  destinations: readonly Destination[],
): Contents | string {
  if (step.type === 'in_app' || Object.keys(overrides).length === 0) return { content: given, secretContent }
  const message = { channel: step.type, stepId: step.stepId }
  const providers = destinations.flatMap(providersOf)
  const hasSmtp = providers.some(isOfEmail)
  const content = overriddenContent(given, overrides, message, hasSmtp)
  for (const id of providers) {
    const objection = objectionToAddresses(sentContent(content, id))
    if (objection !== undefined) return objection
  }
  return { content, secretContent: secretContent && overriddenContent(secretContent, overrides, message, hasSmtp) }
}
