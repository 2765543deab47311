// The directory of providers for lower floors, which cannot import this one.
import { channels } from '../../domain/channel/channel.ts'
import { endpointTypes } from '../../domain/channel/endpoint-type.ts'
import type { OwnTargetKind, ProviderDirectory, ProviderFacts } from '../../domain/channel/provider-directory.ts'
import { kindOf, type ProviderId } from '../../domain/channel/provider-id.ts'
import { messageOf } from './standalone-message.ts'
import { providerFor } from './provider-registry.ts'
import { rehearse } from './rehearse.ts'
import { send, type Sender } from './send.ts'

/** The source of a subscriber's own targets. */
const sources = {
  email: 'profile',
  phone: 'profile',
  webhook: 'credentials',
  device: 'credentials',
} as const satisfies Record<OwnTargetKind, string>

/**
 * A provider and its destinations. A provider that serves several channels delivers to the destinations of the
 * integration's channel.
 */
function factsOf(providerId: ProviderId): ProviderFacts | undefined {
  const provider = providerFor(providerId)
  const channel = kindOf(providerId)
  if (provider === undefined || channel === 'agent' || channel === 'in_app') return undefined
  const { settings, check, targetKinds, endpointTypes: types } = provider
  const { profileAddress, hasCredentials = false } = channels[channel]
  return {
    settings,
    check,
    targetKinds: targetKinds.filter((kind) => (sources[kind] === 'profile' ? kind === profileAddress : hasCredentials)),
    endpointTypes: types.filter((type) => endpointTypes[type].channels.includes(channel)),
  }
}

/** @param sender sends messages that have no event. */
export function createProviderDirectory(sender: Sender): ProviderDirectory {
  return {
    factsOf,
    send: (evaluator, message) => send(sender, evaluator, messageOf(message)),
    rehearse: (evaluator, message) => rehearse(sender, evaluator, messageOf(message)),
  }
}
