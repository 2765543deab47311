// A filter by several of a few values, kept in the address.
import { MultiSelect } from '@mantine/core'
import { clearButton } from '../clear-button.ts'
import { useFilter } from './filter.ts'
import type { Option } from '../options.ts'

/** Returns the chosen values, without values in the address that are unknown. Null if there are none. */
export function useChoices<Value extends string>(name: string, options: readonly Option<Value>[]): Value[] | null {
  const [value] = useFilter(name)
  const given = new Set<string>(value.split(','))
  const chosen = options.flatMap((option) => (given.has(option.value) ? option.value : []))
  return chosen.length === 0 ? null : chosen
}

interface ChoicesFilterProps {
  readonly label: string
  /** The name of the filter in the address. Its values are separated by commas. */
  readonly name: string
  readonly options: readonly Option<string>[]
}

export function ChoicesFilter({ label, name, options }: ChoicesFilterProps) {
  const chosen = useChoices(name, options) ?? []
  const [, set] = useFilter(name)
  return (
    <MultiSelect
      label={label}
      placeholder={chosen.length === 0 ? 'Any' : ''}
      size="xs"
      searchable
      clearable
      clearButtonProps={clearButton(`Clear: ${label}`)}
      hidePickedOptions
      // One value and the cursor fit in one line.
      styles={{ inputField: { minWidth: 24 } }}
      nothingFoundMessage="Nothing matches"
      data={[...options]}
      value={chosen}
      onChange={(next) => set(next.join(','))}
    />
  )
}
