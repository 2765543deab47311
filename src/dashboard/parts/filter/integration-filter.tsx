// The filter by one integration, kept in the address.
import { IntegrationInput } from '../form/integration-input.tsx'
import { useTypedFilter } from './typed-filter.ts'

export function IntegrationFilter() {
  const [text, change] = useTypedFilter('integration')
  return <IntegrationInput label="Integration" placeholder="Any" size="xs" value={text} onChange={change} />
}
