// A filter by an exact text, such as an id, kept in the address. It waits for a pause in the typing.
import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { useFilter } from './filter.ts'

/** Time without a key stroke before the filter applies, in milliseconds. */
const PAUSE = 300

interface TextFilterProps {
  readonly label: string
  /** The name of the filter in the address. */
  readonly name: string
}

export function TextFilter({ label, name }: TextFilterProps) {
  const [value, set] = useFilter(name)
  const [text, setText] = useState(value)
  const [shown, setShown] = useState(value)
  // The address changed elsewhere, such as by the button that clears all filters.
  if (shown !== value) {
    setShown(value)
    setText(value)
  }
  const send = useDebouncedCallback((next: string) => set(next.trim()), PAUSE)
  return (
    <TextInput
      label={label}
      placeholder="Any"
      size="xs"
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        send(currentTarget.value)
      }}
    />
  )
}
