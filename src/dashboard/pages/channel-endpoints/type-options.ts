// The destination types to choose from. Types that an integration can deliver to come first.
import { useIntegrations } from '../../parts/form/integration-input.tsx'
import { optionsOf } from '../../parts/options.ts'
import { useProviders } from '../../parts/providers.ts'
import { endpointTypes, type EndpointType } from './endpoint-types.ts'

export const typeOptions = optionsOf<EndpointType>(endpointTypes)

/** Returns the types, in groups if the integration's provider is known. */
export function useTypeOptions(integrationIdentifier: string) {
  const integration = useIntegrations().find(({ identifier }) => identifier === integrationIdentifier)
  const provider = useProviders().find(({ providerId }) => providerId === integration?.providerId)
  if (provider === undefined || !provider.supported) return [...typeOptions]
  const isServed = ({ value }: { readonly value: EndpointType }) => provider.endpointTypes.includes(value)
  const groups = [
    { group: `Delivered by ${provider.name}`, items: typeOptions.filter(isServed) },
    { group: `Not delivered by ${provider.name}`, items: typeOptions.filter((option) => !isServed(option)) },
  ]
  return groups.filter(({ items }) => items.length > 0)
}
