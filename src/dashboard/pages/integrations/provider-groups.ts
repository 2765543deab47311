// The providers to choose from, by channel. Providers that this gateway does not implement come last.
import { channelLabels } from '../../parts/channel-labels.ts'
import { optionsOf } from '../../parts/options.ts'
import { type ProviderDefinition, providerOptions } from '../../parts/providers.ts'

export function providerGroups(providers: readonly ProviderDefinition[]) {
  const supported = providers.filter((provider) => provider.supported)
  const byChannel = optionsOf(channelLabels).map(({ value, label }) => ({
    group: label,
    items: [...providerOptions(supported.filter(({ channel }) => channel === value))],
  }))
  const others = providers.filter((provider) => !provider.supported)
  return [...byChannel, { group: 'Not supported by this gateway', items: [...providerOptions(others)] }].filter(
    ({ items }) => items.length > 0,
  )
}
