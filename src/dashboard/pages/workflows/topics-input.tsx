// A field for several topics, suggested while someone types.
import { MultiSelect, type MultiSelectProps } from '@mantine/core'
import { useState } from 'react'
import { clearButton } from '../../parts/clear-button.ts'
import { useTopicSuggestions } from '../../parts/suggestion/topic-suggestions.ts'

export function TopicsInput({ value = [], ...props }: MultiSelectProps & { readonly value?: string[] }) {
  const [text, setText] = useState('')
  const keys = useTopicSuggestions(text)
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
      // The gateway has already filtered the options.
      filter={({ options }) => options}
      searchValue={text}
      onSearchChange={setText}
    />
  )
}
