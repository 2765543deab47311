// A filter with fixed options, kept in the address.
import { Select } from '@mantine/core'
import { clearButton } from './clear-button.ts'
import { useFilter } from './filter.ts'
import type { Option } from './options.ts'

/** Returns the chosen option, or null if there is none or the address names an unknown one. */
export function useChoice<Value extends string>(name: string, options: readonly Option<Value>[]): Value | null {
  const [value] = useFilter(name)
  return options.find((option) => option.value === value)?.value ?? null
}

interface FilterSelectProps {
  /** The name of the filter in the address. */
  readonly name: string
  readonly label: string
  /** What the field says without a choice, such as `Any channel`. */
  readonly placeholder: string
  readonly options: readonly Option<string>[]
}

export function FilterSelect({ name, label, placeholder, options }: FilterSelectProps) {
  const [value, set] = useFilter(name)
  return (
    <Select
      aria-label={label}
      placeholder={placeholder}
      searchable={options.length > 10}
      nothingFoundMessage="Nothing matches"
      clearable
      clearButtonProps={clearButton(`Clear the filter: ${label}`)}
      data={[...options]}
      value={value === '' ? null : value}
      onChange={set}
    />
  )
}
