// The exact set of contexts that a tab shows, kept in the address.
import { Stack } from '@mantine/core'
import { useParams } from 'react-router'
import { ContextKeysInput, contextKeysError } from '../../parts/form/context-keys-input.tsx'
import { useFilter } from '../../parts/filter/filter.ts'
import { KnownContexts } from './known-contexts.tsx'

/** Returns the context keys in the address, which are empty for no context, and an error message if one is invalid. */
export function useChosenContexts(): { readonly keys: string[]; readonly error: string | null } {
  const [value] = useFilter('contexts')
  const keys = value === '' ? [] : value.split(',')
  return { keys, error: contextKeysError(keys) }
}

/**
 * The field for the contexts, which offers those of the subscriber. `description` says what differs between contexts.
 */
export function ContextChooser({ description }: { readonly description: string }) {
  const { subscriberId = '' } = useParams()
  const [, set] = useFilter('contexts')
  const { keys, error } = useChosenContexts()
  return (
    <Stack gap="xs">
      <ContextKeysInput
        label="Contexts"
        description={description}
        placeholder={keys.length === 0 ? 'Without context' : ''}
        value={keys}
        error={error}
        onChange={(next) => set(next.join(','))}
      />
      <KnownContexts subscriberId={subscriberId} value={keys.toSorted().join(',')} onChange={set} />
    </Stack>
  )
}
