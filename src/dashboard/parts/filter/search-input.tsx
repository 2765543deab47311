// A search that updates after a short pause in typing, and keeps its text in the address.
import { CloseButton, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useTypedFilter } from './typed-filter.ts'

export function SearchInput({ label }: { readonly label: string }) {
  const [text, change] = useTypedFilter('search')
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={text !== '' && <CloseButton size="sm" aria-label="Clear the search" onClick={() => change('')} />}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
    />
  )
}
