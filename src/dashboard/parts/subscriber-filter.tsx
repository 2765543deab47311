// The filter by one subscriber, kept in the address.
import { useFilter } from './filter.ts'
import { SubscriberPicker } from './subscriber-picker.tsx'

export function SubscriberFilter() {
  const [value, set] = useFilter('subscriber')
  return (
    <SubscriberPicker
      aria-label="Subscriber"
      placeholder="Any subscriber"
      value={value === '' ? null : value}
      onChange={set}
    />
  )
}
