// The filter by several categories, kept in the address.
import { MultiSelect } from '@mantine/core'
import { useCategoryOptions } from '../suggestion/categories.ts'
import { clearButton } from '../clear-button.ts'
import { useFilter } from './filter.ts'

/** The maximum number of values of a condition in the graph. */
const MAX_CHOSEN = 50

/** Returns the keys of the chosen categories. Null if there are none. A link can name any, even a deleted one. */
export function useChosenCategories(): string[] | null {
  const [value] = useFilter('category')
  return value === '' ? null : [...new Set(value.split(','))].slice(0, MAX_CHOSEN)
}

export function CategoryFilter() {
  const chosen = useChosenCategories() ?? []
  const [, set] = useFilter('category')
  return (
    <MultiSelect
      label="Category"
      placeholder={chosen.length === 0 ? 'Any' : ''}
      size="xs"
      searchable
      clearable
      clearButtonProps={clearButton('Clear: Category')}
      hidePickedOptions
      // One value and the cursor fit in one line.
      styles={{ inputField: { minWidth: 24 } }}
      nothingFoundMessage="No category matches"
      data={useCategoryOptions(chosen)}
      value={chosen}
      onChange={(next) => set(next.join(','))}
    />
  )
}
