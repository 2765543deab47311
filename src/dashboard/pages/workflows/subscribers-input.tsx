// A field for several subscribers. Suggests subscribers while someone types, and accepts new ids.
import { TagsInput, type TagsInputProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useQuery } from 'urql'
import { graphql } from '../../graph/graphql.ts'
import { clearButton } from '../../parts/clear-button.ts'
import { PAUSE } from '../../parts/pause.ts'

const recipientSuggestionsQuery = graphql(`
  query RecipientSuggestions($filter: SubscriberFilter) {
    subscribers(first: 20, filter: $filter) {
      nodes {
        id
        subscriberId
      }
    }
  }
`)

export function SubscribersInput(props: TagsInputProps) {
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), PAUSE)
  const [{ data }] = useQuery({
    query: recipientSuggestionsQuery,
    variables: { filter: search === '' ? {} : { search } },
  })
  return (
    <TagsInput
      label="Subscribers"
      description="Type a part of an id, name, email address or phone number. A new id creates the subscriber."
      clearable
      clearButtonProps={clearButton('Clear the subscribers')}
      {...props}
      data={(data?.subscribers.nodes ?? []).map(({ subscriberId }) => subscriberId)}
      // The gateway has already filtered the options.
      filter={({ options }) => options}
      searchValue={text}
      onSearchChange={setText}
    />
  )
}
