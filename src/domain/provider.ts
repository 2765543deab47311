// The providers that an integration can name, with their settings and destinations.
import { z } from 'zod'
import { Channel } from '../data/prisma/enums.ts'
import { severalOf, valuesOf } from '../lib/several.ts'
import { filterOf } from '../lib/validation.ts'
import type { ProviderFacts } from './channel/provider-directory.ts'
import { isChannel, kindOf, nameOfProvider, type ProviderId, providerIds } from './channel/provider-id.ts'
import { query } from './resolver/resolver.ts'

export interface ProviderDefinition extends ProviderFacts {
  readonly providerId: ProviderId
  readonly name: string
  readonly channel: Channel
  /** True if this gateway can send through the provider. Otherwise it has neither settings nor destinations. */
  readonly supported: boolean
}

const unknown: ProviderFacts = { settings: [], check: () => [], targetKinds: [], endpointTypes: [] }

/** Lists all providers that an integration can name, ordered by channel. Agents are left out. */
export const providerDefinitions = query({
  name: 'integration.listProviders',
  permission: 'integration:read',
  input: z.object({
    filter: filterOf({ channel: z.enum(Channel), channels: severalOf(z.enum(Channel)), supported: z.boolean() }),
  }),
  run: ({ providers: { factsOf } }, { filter: { channel, channels, supported } }): Promise<ProviderDefinition[]> => {
    const all = providerIds.flatMap((providerId) => {
      const kind = kindOf(providerId)
      if (!isChannel(kind)) return []
      const facts = factsOf(providerId)
      const name = nameOfProvider(providerId)
      return [{ providerId, name, channel: kind, supported: facts !== undefined, ...(facts ?? unknown) }]
    })
    const matching = valuesOf(channel, channels)
    return Promise.resolve(
      all.filter(
        (one) =>
          (matching === undefined || matching.includes(one.channel)) &&
          (supported === undefined || one.supported === supported),
      ),
    )
  },
})
