// A filter by one of a few values, kept in the address.
import { Select } from '@mantine/core'
import { clearButton } from '../clear-button.ts'
import { useFilter } from './filter.ts'
import type { Option } from '../options.ts'

/** Returns the chosen value. Null if there is none, or if the value in the address is unknown. */
export function useChoice<Value extends string>(name: string, options: readonly Option<Value>[]): Value | null {
  const [value] = useFilter(name)
  return options.find((option) => option.value === value)?.value ?? null
}

interface ChoiceFilterProps {
  readonly label: string
  /** The name of the filter in the address. */
  readonly name: string
  readonly options: readonly Option<string>[]
}

export function ChoiceFilter({ label, name, options }: ChoiceFilterProps) {
  const value = useChoice(name, options)
  const [, set] = useFilter(name)
  return (
    <Select
      label={label}
      placeholder="Any"
      size="xs"
      searchable={options.length > 10}
      nothingFoundMessage="Nothing matches"
      clearable
      clearButtonProps={clearButton(`Clear: ${label}`)}
      data={[...options]}
      value={value}
      onChange={set}
    />
  )
}
