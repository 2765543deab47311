// The filter by one subscriber, kept in the address.
import { useFilter } from './filter.ts'
import { SubscriberPicker } from '../form/subscriber-picker.tsx'

export function SubscriberFilter() {
  const [value, set] = useFilter('subscriber')
  return (
    <SubscriberPicker
      label="Subscriber"
      placeholder="Any"
      size="xs"
      value={value === '' ? null : value}
      onChange={set}
    />
  )
}
