// Provider ids: every provider that callers can name, with its kind and its display name.
import { z } from 'zod'
import type { Channel } from '../../data/prisma/enums.ts'
import { channelProviders, channels, providerChannels } from './channel.ts'

const providersByKind = {
  ...channelProviders,
  capture: { capture: 'Captured without an integration' },
  agent: {
    anthropic: 'Anthropic',
    'service-anthropic': 'Service Anthropic',
    'anthropic-aws': 'Anthropic on AWS',
  },
} as const

/** The channel of a provider. Agents and the capture have none. */
type ProviderKind = keyof typeof providersByKind

type IdOf<Kind extends ProviderKind> = Kind extends ProviderKind ? keyof (typeof providersByKind)[Kind] : never

export type ProviderId = IdOf<ProviderKind>

/** The provider of captured messages that have no integration. It serves all channels, and delivers nothing. */
export const CAPTURE = 'capture' as const satisfies ProviderId

interface KnownProvider {
  readonly kind: ProviderKind
  readonly name: string
}

const known = new Map<ProviderId, KnownProvider>()
for (const [kind, names] of Object.entries(providersByKind) as [ProviderKind, Record<ProviderId, string>][]) {
  for (const [id, name] of Object.entries(names) as [ProviderId, string][]) known.set(id, { kind, name })
}

export const providerIds: readonly ProviderId[] = [...known.keys()]

/** The input schema of a provider id. The message does not list all values, because there are about a hundred. */
export const providerId = z.enum(providerIds, { error: 'must be the id of a known provider' })

/** The provider id in a database row. */
export function providerOf(stored: string): ProviderId {
  return providerId.parse(stored)
}

function knownProvider(provider: ProviderId): KnownProvider {
  const found = known.get(provider)
  if (found === undefined) throw new Error(`provider ${provider} is in no kind`)
  return found
}

export const kindOf = (provider: ProviderId): ProviderKind => knownProvider(provider).kind

/** The display name of a provider, in the provider's own spelling. */
export const nameOfProvider = (provider: ProviderId): string => knownProvider(provider).name

/** The providers for which a subscriber can have credentials. */
export const credentialProviders: readonly ProviderId[] = providerChannels
  .filter((channel) => channels[channel].hasCredentials)
  .flatMap((channel) => providerIds.filter((id) => kindOf(id) === channel))

/** True if integrations of the provider can deliver through one channel. */
export const isChannel = (kind: ProviderKind): kind is Channel => kind !== 'agent' && kind !== 'capture'
