// A filter by one of a few values, kept in the address.
import { Select } from '@mantine/core'
import { useFilter } from './filter.ts'

/** Returns the value of the filter in the address, or null if there is none that is allowed. */
export function useChoice<Value extends string>(name: string, labels: Readonly<Record<Value, string>>): Value | null {
  const [value] = useFilter(name)
  const isAllowed = (text: string): text is Value => Object.hasOwn(labels, text)
  return isAllowed(value) ? value : null
}

interface ChoiceFilterProps {
  readonly label: string
  /** The name of the filter in the address. */
  readonly name: string
  /** The values with their labels. */
  readonly labels: Readonly<Record<string, string>>
}

export function ChoiceFilter({ label, name, labels }: ChoiceFilterProps) {
  const value = useChoice(name, labels)
  const [, set] = useFilter(name)
  return (
    <Select
      label={label}
      placeholder="Any"
      size="xs"
      clearable
      clearButtonProps={{ 'aria-label': `Clear: ${label}` }}
      data={Object.entries(labels).map(([each, text]) => ({ value: each, label: text }))}
      value={value}
      onChange={set}
    />
  )
}
