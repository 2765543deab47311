// The filter by one integration, kept in the address.
import { IntegrationInput } from './integration-input.tsx'
import { useTypedFilter } from './typed-filter.ts'

export function IntegrationFilter() {
  const [text, change] = useTypedFilter('integration')
  return <IntegrationInput aria-label="Integration" placeholder="Any integration" value={text} onChange={change} />
}
