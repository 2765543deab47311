// The exact set of contexts that a tab shows, kept in the address.
import { ContextKeysInput, contextKeysError } from '../../parts/context-keys-input.tsx'
import { useFilter } from '../../parts/filter.ts'

/** Returns the context keys of the address, empty for no context, and their error message if one of them is invalid. */
export function useChosenContexts(): { readonly keys: string[]; readonly error: string | null } {
  const [value] = useFilter('contexts')
  const keys = value === '' ? [] : value.split(',')
  return { keys, error: contextKeysError(keys) }
}

/** The field that chooses them. `description` says what differs between contexts. */
export function ContextChooser({ description }: { readonly description: string }) {
  const [, set] = useFilter('contexts')
  const { keys, error } = useChosenContexts()
  return (
    <ContextKeysInput
      label="Contexts"
      description={description}
      placeholder={keys.length === 0 ? 'Without context' : ''}
      value={keys}
      error={error}
      onChange={(next) => set(next.join(','))}
    />
  )
}
