// A search that follows the typing: it waits for a short pause, and keeps its text in the address.
import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { useFilter } from './filter.ts'

/** Time without a key stroke before the search is sent, in milliseconds. */
const PAUSE = 200

interface SearchInputProps {
  readonly label: string
  /** The name of the filter in the address. */
  readonly name?: string
}

export function SearchInput({ label, name = 'search' }: SearchInputProps) {
  const [value, set] = useFilter(name)
  const [text, setText] = useState(value)
  const send = useDebouncedCallback(set, PAUSE)
  const change = (next: string) => {
    setText(next)
    send(next)
  }
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={text !== '' && <CloseButton size="sm" aria-label="Clear the search" onClick={() => change('')} />}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      miw={260}
      flex={1}
    />
  )
}
