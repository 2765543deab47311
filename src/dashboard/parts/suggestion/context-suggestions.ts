// Contexts that match the typed text.
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useQuery } from 'urql'
import { graphql } from '../../graph/graphql.ts'
import { PAUSE } from '../pause.ts'

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

interface ContextSuggestions {
  /** The keys of at most 20 contexts that match the text. Without a text, the newest. Empty until the field is opened. */
  readonly keys: readonly string[]
  /** For the field: nothing is asked for before someone opens it. */
  readonly onDropdownOpen: () => void
}

export function useContextSuggestions(text: string): ContextSuggestions {
  const [search] = useDebouncedValue(text.trim(), PAUSE)
  const [wasOpened, setWasOpened] = useState(false)
  const [{ data }] = useQuery({
    query: contextSuggestionsQuery,
    variables: { filter: search === '' ? {} : { search } },
    pause: !wasOpened,
  })
  return { keys: (data?.contexts.nodes ?? []).map(({ key }) => key), onDropdownOpen: () => setWasOpened(true) }
}
