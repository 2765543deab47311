// The directory of providers for lower floors, which cannot import this one.
import { channels } from '../../domain/channel/channel.ts'
import { endpointTypes } from '../../domain/channel/endpoint-type.ts'
import type { OwnTargetKind, ProviderDirectory, ProviderFacts } from '../../domain/channel/provider-directory.ts'
import { isChannel, kindOf, type ProviderId, providerOf } from '../../domain/channel/provider-id.ts'
import { messageOf } from './standalone-message.ts'
import { providerFor } from './provider-registry.ts'
import { Refusal } from '../../lib/errors.ts'
import { Unreachable } from '../network/outbound.ts'
import { rehearse, withoutBrackets } from './rehearse.ts'
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
  if (provider === undefined || !isChannel(channel) || channel === 'in_app') return undefined
  const { settings, check, targetKinds, endpointTypes: types, reports } = provider
  const { profileAddress, hasCredentials = false } = channels[channel]
  return {
    settings,
    check,
    targetKinds: targetKinds.filter((kind) => (sources[kind] === 'profile' ? kind === profileAddress : hasCredentials)),
    endpointTypes: types.filter((type) => endpointTypes[type].channels.includes(channel)),
    reports,
  }
}

/** @param sender sends messages that have no event. */
export function createProviderDirectory(sender: Sender): ProviderDirectory {
  return {
    factsOf,
    async readReports(integration, tickets) {
      const provider = providerFor(providerOf(integration.providerId))
      return (await provider?.readReports?.(integration, tickets, sender.outbound)) ?? new Map()
    },
    async receiveReports({ environmentId, providerId, credentials }, request) {
      const receiver = providerFor(providerOf(providerId))?.receiver
      if (receiver === undefined) throw new Refusal('NOT_FOUND', `The provider ${providerId} sends no reports`)
      return receiver.receive({ request, credentials, environmentId, outbound: sender.outbound })
    },
    send: (evaluator, message, rules) => send(sender, evaluator, messageOf(message), () => Promise.resolve(rules)),
    rehearse: (evaluator, message, rules) => rehearse(sender, evaluator, messageOf(message), rules),
    objectionToUrl(url) {
      try {
        sender.outbound.assertReachable(withoutBrackets(new URL(url).hostname))
        return undefined
      } catch (error) {
        if (error instanceof Unreachable) return error.message
        throw error
      }
    },
  }
}
