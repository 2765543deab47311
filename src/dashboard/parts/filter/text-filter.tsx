// A filter by an exact text, such as an id, kept in the address.
import { CloseButton, TextInput } from '@mantine/core'
import { useTypedFilter } from './typed-filter.ts'

interface TextFilterProps {
  readonly label: string
  /** The name of the filter in the address. */
  readonly name: string
}

export function TextFilter({ label, name }: TextFilterProps) {
  const [text, change] = useTypedFilter(name)
  return (
    <TextInput
      label={label}
      placeholder="Any"
      size="xs"
      rightSection={text !== '' && <CloseButton size="xs" aria-label={`Clear: ${label}`} onClick={() => change('')} />}
      value={text}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  )
}
