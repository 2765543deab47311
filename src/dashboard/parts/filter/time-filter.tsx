// The filter by time, kept in the address: a range that ends now, or two times in the reader's time zone, as UTC.
import { Select, TextInput } from '@mantine/core'
import { useMemo } from 'react'
import { clearButton } from '../clear-button.ts'
import { useAddressQuery } from '../list/address-query.ts'
import { localText, utcText } from '../form/local-time.ts'
import { useFilter, useFilterValue } from './filter.ts'

const MINUTE = 60_000

const since = (milliseconds: number) => new Date(Math.floor((Date.now() - milliseconds) / MINUTE) * MINUTE)

/** The ranges by their value in the address, each with its beginning. */
const ranges = {
  '1h': { label: 'Last hour', start: () => since(60 * MINUTE) },
  today: { label: 'Today', start: () => new Date(new Date().setHours(0, 0, 0, 0)) },
  '7d': { label: 'Last 7 days', start: () => since(7 * 24 * 60 * MINUTE) },
} as const satisfies Record<string, { readonly label: string; readonly start: () => Date }>

const isRange = (value: string): value is keyof typeof ranges => Object.hasOwn(ranges, value)

const options = [
  ...Object.entries(ranges).map(([value, { label }]) => ({ value, label })),
  { value: 'custom', label: 'Custom' },
]

/** Returns the conditions for the graph. A range begins at the time at which it was chosen or opened, minus its length. */
export function useTimeFilter() {
  const [range] = useFilter('time')
  const from = useFilterValue('from')
  const createdBefore = useFilterValue('to')
  const start = useMemo(() => (isRange(range) ? ranges[range].start().toISOString() : null), [range])
  return { createdAfter: start ?? from, createdBefore }
}

type Times = Readonly<Partial<Record<'time' | 'from' | 'to', string | null>>>

/** The range in an address, as times: it keeps its beginning when an end is typed. */
function asCustom(query: URLSearchParams): Times {
  const range = query.get('time') ?? ''
  return isRange(range) ? { time: null, from: ranges[range].start().toISOString() } : {}
}

/** Three fields for `Filters`. A time that is typed replaces the range. */
export function TimeFilter() {
  const [range] = useFilter('time')
  const { createdAfter, createdBefore } = useTimeFilter()
  const [, change] = useAddressQuery()
  /** The address may be newer than what is on the screen. */
  const set = (valuesAfter: (query: URLSearchParams) => Times) =>
    change(
      (query) => {
        const values = valuesAfter(query)
        for (const name of ['after', 'before']) query.delete(name)
        for (const [name, value] of Object.entries(values)) {
          if (value === null) query.delete(name)
          else query.set(name, value)
        }
      },
      { replace: true },
    )
  const isCustom = createdAfter !== null || createdBefore !== null
  return (
    <>
      <Select
        label="Time"
        placeholder="Any"
        size="xs"
        clearable
        clearButtonProps={clearButton('Clear: Time')}
        data={options.filter(({ value }) => value !== 'custom' || isCustom)}
        value={isRange(range) ? range : isCustom ? 'custom' : null}
        onChange={(value) =>
          set((query) => (value === 'custom' ? asCustom(query) : { time: value, from: null, to: null }))
        }
      />
      <TextInput
        type="datetime-local"
        label="From"
        size="xs"
        value={localText(createdAfter)}
        onChange={({ currentTarget: { value } }) => set(() => ({ time: null, from: utcText(value) }))}
      />
      <TextInput
        type="datetime-local"
        label="Until"
        size="xs"
        value={localText(createdBefore)}
        onChange={({ currentTarget: { value } }) => set((query) => ({ ...asCustom(query), to: utcText(value) }))}
      />
    </>
  )
}
