// A field for one subscriber: finds people while someone types an id, a name, an email address or a phone number.
import { Select, type SelectProps, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useQuery } from 'urql'
import { clearButton } from '../clear-button.ts'
import { graphql } from '../../graph/graphql.ts'
import { PAUSE } from '../pause.ts'

const subscriberSuggestionsQuery = graphql(`
  query SubscriberSuggestions($filter: SubscriberFilter) {
    subscribers(first: 20, filter: $filter) {
      nodes {
        id
        subscriberId
        firstName
        lastName
        email
        phone
      }
    }
  }
`)

type OwnProps =
  'data' | 'filter' | 'searchable' | 'onSearchChange' | 'onDropdownOpen' | 'renderOption' | 'nothingFoundMessage'

/** The value is a subscriberId. Nothing is asked for before someone opens the field. */
export function SubscriberPicker({ value, ...props }: Omit<SelectProps, OwnProps>) {
  const [text, setText] = useState('')
  const [wasOpened, setWasOpened] = useState(false)
  const [typed] = useDebouncedValue(text.trim(), PAUSE)
  // The text of a chosen subscriber is not a search, so the list offers all subscribers again.
  const search = typed === value ? '' : typed
  const [{ data, fetching }] = useQuery({
    query: subscriberSuggestionsQuery,
    variables: { filter: search === '' ? {} : { search } },
    pause: !wasOpened,
  })
  const found = data?.subscribers.nodes ?? []
  const descriptions = new Map(
    found.map(({ subscriberId, firstName, lastName, email, phone }) => {
      const name = [firstName, lastName].filter((part) => part !== null).join(' ')
      return [subscriberId, [name, email, phone].filter((part) => part !== null && part !== '').join(' · ')]
    }),
  )
  // Keeps the chosen option, because its text would otherwise vanish from the field.
  const known = new Set([...(value == null ? [] : [value]), ...descriptions.keys()])
  return (
    <Select
      {...props}
      value={value ?? null}
      searchable
      clearable
      clearButtonProps={clearButton('Clear the subscriber')}
      nothingFoundMessage={fetching ? 'Searching…' : 'No subscriber matches'}
      onSearchChange={setText}
      onDropdownOpen={() => setWasOpened(true)}
      // The gateway has already filtered the options.
      filter={({ options }) => options.filter((option) => 'value' in option && descriptions.has(option.value))}
      data={[...known]}
      renderOption={({ option }) => (
        <Stack gap={0}>
          <Text size="sm">{option.value}</Text>
          <Text size="xs" c="dimmed">
            {descriptions.get(option.value)}
          </Text>
        </Stack>
      )}
    />
  )
}
