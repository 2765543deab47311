// A field for contexts. Existing contexts are suggested, and new ones are created on first use.
import { TagsInput, type TagsInputProps } from '@mantine/core'
import { useState } from 'react'
import { clearButton } from '../clear-button.ts'
import { useContextSuggestions } from '../suggestion/context-suggestions.ts'

/** Validates a field of a form. Returns the error message, or null if every key names a type and an identifier. */
export const contextKeysError = (keys: readonly string[]): string | null =>
  keys.every((key) => /^[^:]+:[^:]+$/.test(key)) ? null : 'Enter each context as type:identifier, such as tenant:acme.'

/** Returns the contexts as mutation input. The keys must be valid. */
export const contextInputs = (keys: readonly string[]): { type: string; identifier: string }[] =>
  keys.map((key) => {
    const [type = '', identifier = ''] = key.split(':')
    return { type, identifier }
  })

type OwnProps = 'data' | 'searchValue' | 'onSearchChange' | 'filter' | 'onDropdownOpen'

export function ContextKeysInput(props: Omit<TagsInputProps, OwnProps>) {
  const [search, setSearch] = useState('')
  const { keys, onDropdownOpen } = useContextSuggestions(search)
  return (
    <TagsInput
      label="Contexts"
      description="Each as type:identifier, such as tenant:acme. A new context is created."
      clearable
      clearButtonProps={clearButton('Clear the contexts')}
      {...props}
      data={[...keys]}
      onDropdownOpen={onDropdownOpen}
      // The gateway has already filtered the options.
      filter={({ options }) => options}
      searchValue={search}
      onSearchChange={setSearch}
    />
  )
}
