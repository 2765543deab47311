// A time in the reader's time zone: how long ago, with the exact time on hover.
import { Text, Tooltip } from '@mantine/core'

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

/** Units, longest first, with their milliseconds. */
const units = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

function fromNow(at: Date): string {
  const distance = at.getTime() - Date.now()
  const [unit, length] = units.find(([, size]) => Math.abs(distance) >= size) ?? ['second', 1_000]
  return relative.format(Math.trunc(distance / length), unit)
}

/** A time as the graph returns it. */
export function Moment({ at }: { readonly at: string }) {
  const date = new Date(at)
  return (
    <Tooltip label={exact.format(date)} events={{ hover: true, focus: true, touch: true }}>
      <Text component="time" inherit span dateTime={at} tabIndex={0} style={{ whiteSpace: 'nowrap' }}>
        {fromNow(date)}
      </Text>
    </Tooltip>
  )
}
