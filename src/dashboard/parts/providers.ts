// The providers that the gateway knows, for labels, filters and forms.
import { useQuery } from 'urql'
import { graphql, type ResultOf } from '../graph/graphql.ts'
import type { Option } from './options.ts'

const providersQuery = graphql(`
  query Providers {
    providers {
      providerId
      name
      channel
      supported
      endpointTypes
      destinations
      settings {
        name
        label
        description
        type
        options
        required
        secret
        default
      }
    }
  }
`)

export type ProviderDefinition = ResultOf<typeof providersQuery>['providers'][number]
export type ProviderId = ProviderDefinition['providerId']

/** Returns all providers by name. Empty until they are loaded. */
export function useProviders(): readonly ProviderDefinition[] {
  const [{ data }] = useQuery({ query: providersQuery })
  return (data?.providers ?? []).toSorted((a, b) => a.name.localeCompare(b.name))
}

/** Returns one option for each provider. */
export const providerOptions = (providers: readonly ProviderDefinition[]): readonly Option<ProviderId>[] =>
  providers.map(({ providerId, name }) => ({ value: providerId, label: name }))
