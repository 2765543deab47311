// A field for several topics, found while someone types.
import { MultiSelect, type MultiSelectProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useQuery } from 'urql'
import { graphql } from '../../graph/graphql.ts'
import { clearButton } from '../../parts/clear-button.ts'
import { PAUSE } from '../../parts/pause.ts'

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

export function TopicsInput({ value = [], ...props }: MultiSelectProps & { readonly value?: string[] }) {
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), PAUSE)
  const [{ data }] = useQuery({ query: topicSuggestionsQuery, variables: { filter: search === '' ? {} : { search } } })
  const keys = (data?.topics.nodes ?? []).map(({ key }) => key)
  return (
    <MultiSelect
      label="Topics"
      description="Everyone who is subscribed."
      searchable
      clearable
      clearButtonProps={clearButton('Clear the topics')}
      nothingFoundMessage="No topic matches"
      {...props}
      value={value}
      data={[...new Set([...value, ...keys])]}
      // The gateway has searched already.
      filter={({ options }) => options}
      searchValue={text}
      onSearchChange={setText}
    />
  )
}
