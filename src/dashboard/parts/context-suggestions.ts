// Contexts that match the typed text.
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from 'urql'
import { graphql } from '../graph/graphql.ts'
import { PAUSE } from './pause.ts'

const contextSuggestionsQuery = graphql(`
  query ContextSuggestions($filter: ContextFilter) {
    contexts(first: 20, filter: $filter) {
      nodes {
        id
        key
      }
    }
  }
`)

/** Returns the keys of at most 20 contexts that match the text. Without a text, returns the newest. */
export function useContextSuggestions(text: string): readonly string[] {
  const [search] = useDebouncedValue(text.trim(), PAUSE)
  const [{ data }] = useQuery({
    query: contextSuggestionsQuery,
    variables: { filter: search === '' ? {} : { search } },
  })
  return (data?.contexts.nodes ?? []).map(({ key }) => key)
}
