// A filter by time in the reader's time zone, kept in the address as UTC.
import { TextInput } from '@mantine/core'
import { useFilter } from './filter.ts'

/** Returns a time in the format of the field, such as `2026-11-22T15:04`, without a zone. */
function localText(utc: string): string {
  const time = new Date(utc)
  if (Number.isNaN(time.getTime())) return ''
  const digits = (count: number, value: number) => String(value).padStart(count, '0')
  const date = [digits(4, time.getFullYear()), digits(2, time.getMonth() + 1), digits(2, time.getDate())].join('-')
  return `${date}T${digits(2, time.getHours())}:${digits(2, time.getMinutes())}`
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
