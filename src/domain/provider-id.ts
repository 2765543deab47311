// Provider ids: every provider that callers can name, and its kind.
import { z } from 'zod'
import { channelProviders, channels, providerChannels } from './channel.ts'

const providersByKind = {
  ...channelProviders,
  agent: ['anthropic', 'service-anthropic', 'anthropic-aws'],
} as const

/** The channel that a provider delivers by. Agents deliver by none. */
type ProviderKind = keyof typeof providersByKind

export type ProviderId = (typeof providersByKind)[ProviderKind][number]

const kinds = new Map<string, ProviderKind>()
for (const [kind, ids] of Object.entries(providersByKind) as [ProviderKind, readonly ProviderId[]][]) {
  for (const id of ids) kinds.set(id, kind)
}

export const providerIds: readonly ProviderId[] = Object.values(providersByKind).flat()

/** The input schema of a provider id. The message does not list all values, because there are about a hundred. */
export const providerId = z.enum(providerIds, { error: 'is not a known provider' })

/** The provider id of a database row. */
export function providerOf(stored: string): ProviderId {
  return providerId.parse(stored)
}

export function kindOf(provider: ProviderId): ProviderKind {
  const kind = kinds.get(provider)
  if (kind === undefined) throw new Error(`provider ${provider} is in no kind`)
  return kind
}

/** The providers for which a subscriber can have credentials. */
export const credentialProviders: readonly ProviderId[] = providerChannels
  .filter((channel) => channels[channel].hasCredentials)
  .flatMap((channel) => channelProviders[channel])
