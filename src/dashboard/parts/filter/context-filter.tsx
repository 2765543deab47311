// The filter by an exact set of contexts, kept in the address.
import { MultiSelect } from '@mantine/core'
import { useState } from 'react'
import { clearButton } from '../clear-button.ts'
import { useContextSuggestions } from '../suggestion/context-suggestions.ts'
import { useFilter } from './filter.ts'

/** The value for objects without contexts. It is not a valid key, because keys contain a colon. */
const NONE = 'none'

/** Returns the set of keys to filter by. Empty for objects without contexts, null without a filter. */
export function useContextFilter(): readonly [keys: string[] | null, set: (keys: readonly string[] | null) => void] {
  const [value, set] = useFilter('contexts')
  const keys = value === '' ? null : value.split(',').filter((key) => key !== NONE)
  return [keys, (next) => set(next === null ? null : next.length === 0 ? NONE : next.join(','))]
}

export function ContextFilter() {
  const [keys, set] = useContextFilter()
  const [search, setSearch] = useState('')
  const suggestions = useContextSuggestions(search)
  const chosen = keys?.length === 0 ? [NONE] : (keys ?? [])
  return (
    <MultiSelect
      label="Exact contexts"
      placeholder={chosen.length === 0 ? 'Any' : ''}
      size="xs"
      searchable
      clearable
      clearButtonProps={clearButton('Clear: Exact contexts')}
      hidePickedOptions
      // One context and the cursor fit in one line.
      styles={{ inputField: { minWidth: 24 } }}
      nothingFoundMessage="No context matches"
      searchValue={search}
      onSearchChange={setSearch}
      onDropdownOpen={suggestions.onDropdownOpen}
      // The gateway has already filtered the options.
      filter={({ options }) => options}
      data={[
        { value: NONE, label: 'Without contexts' },
        ...new Set([...chosen.filter((key) => key !== NONE), ...suggestions.keys]),
      ]}
      value={chosen}
      onChange={(next) => {
        const added = next.at(-1)
        if (added === undefined) set(null)
        else set(added === NONE ? [] : next.filter((key) => key !== NONE))
      }}
    />
  )
}
