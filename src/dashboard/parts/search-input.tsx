// A search that follows the typing: it waits for a short pause, and keeps its text in the address.
import { CloseButton, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useTypedFilter } from './typed-filter.ts'

interface SearchInputProps {
  readonly label: string
  /** The name of the filter in the address. */
  readonly name?: string
  /** The least width. */
  readonly miw?: number
}

export function SearchInput({ label, name = 'search', miw = 260 }: SearchInputProps) {
  const [text, change] = useTypedFilter(name)
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={text !== '' && <CloseButton size="sm" aria-label="Clear the search" onClick={() => change('')} />}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      miw={miw}
      flex={1}
    />
  )
}
