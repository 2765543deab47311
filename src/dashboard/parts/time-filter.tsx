// A filter by time, in the zone of the reader, kept in the address as UTC.
import { TextInput } from '@mantine/core'
import { useFilter } from './filter.ts'

/** A time as the input has it: `2026-11-22T15:04`, without a zone. */
function localText(utc: string): string {
  const time = new Date(utc)
  if (Number.isNaN(time.getTime())) return ''
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

interface TimeFilterProps {
  readonly label: string
  /** The name of the filter in the address. */
  readonly name: string
}

export function TimeFilter({ label, name }: TimeFilterProps) {
  const [value, set] = useFilter(name)
  return (
    <TextInput
      type="datetime-local"
      label={label}
      size="xs"
      value={localText(value)}
      onChange={({ currentTarget: { value: text } }) => set(text === '' ? null : new Date(text).toISOString())}
    />
  )
}
