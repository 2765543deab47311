// The tab of a page, kept in the address.
import { useFilter } from './filter.ts'

/** The name in the address. */
export const TAB = 'tab'

/** Returns the current tab, which is the first one unless the address names another, and a function that changes it. */
export function useTab<const Tab extends string>(
  tabs: readonly [Tab, ...Tab[]],
): readonly [tab: Tab, show: (tab: string | null) => void] {
  const [value, set] = useFilter(TAB)
  const [first] = tabs
  const tab = tabs.find((one) => one === value) ?? first
  return [tab, (next) => set(next === first ? null : next)]
}
