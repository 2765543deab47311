// Topics that match the typed text.
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from 'urql'
import { graphql } from '../../graph/graphql.ts'
import { PAUSE } from '../pause.ts'

const topicSuggestionsQuery = graphql(`
  query TopicSuggestions($filter: TopicFilter) {
    topics(first: 20, filter: $filter) {
      nodes {
        id
        key
      }
    }
  }
`)

/** Returns the keys of at most 20 topics that match the text. Without a text, returns the newest. */
export function useTopicSuggestions(text: string): readonly string[] {
  const [search] = useDebouncedValue(text.trim(), PAUSE)
  const [{ data }] = useQuery({ query: topicSuggestionsQuery, variables: { filter: search === '' ? {} : { search } } })
  return (data?.topics.nodes ?? []).map(({ key }) => key)
}
