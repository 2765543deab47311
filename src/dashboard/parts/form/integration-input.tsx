// A field for the identifier of an integration. Suggests the newest ones.
import { Autocomplete, type AutocompleteProps, Stack, Text } from '@mantine/core'
import { useQuery } from 'urql'
import { clearButton } from '../clear-button.ts'
import { graphql } from '../../graph/graphql.ts'
import { channelLabels } from '../channel-labels.ts'

const integrationSuggestionsQuery = graphql(`
  query IntegrationSuggestions {
    integrations(first: 100) {
      nodes {
        id
        identifier
        name
        channel
        providerId
      }
    }
  }
`)

/** Returns the newest 100 integrations. Empty until they are loaded. */
export function useIntegrations() {
  const [{ data }] = useQuery({ query: integrationSuggestionsQuery })
  return data?.integrations.nodes ?? []
}

export function IntegrationInput(props: Omit<AutocompleteProps, 'data' | 'renderOption'>) {
  const integrations = useIntegrations()
  const names = new Map(
    integrations.map(({ identifier, name, channel }) => [identifier, `${name} · ${channelLabels[channel]}`]),
  )
  return (
    <Autocomplete
      clearable
      clearButtonProps={clearButton('Clear the integration')}
      {...props}
      data={[...names.keys()]}
      renderOption={({ option }) => (
        <Stack gap={0}>
          <Text size="sm">{option.value}</Text>
          <Text size="xs" c="dimmed">
            {names.get(option.value)}
          </Text>
        </Stack>
      )}
    />
  )
}
