// The fields of an environment that say whether its browser sessions must be signed.
import { Checkbox, Switch } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { environmentLabels, type EnvironmentValues } from './environment-values.ts'

export function UnsignedSessionFields({ form }: { readonly form: UseFormReturnType<EnvironmentValues> }) {
  const { type, allowsUnsignedSessions } = form.values
  return (
    <>
      <Switch
        label={environmentLabels.allowsUnsignedSessions}
        description="Browsers need no hash from the back end then. Anyone can read and mark the notifications of any subscriber."
        {...form.getInputProps('allowsUnsignedSessions', { type: 'checkbox' })}
      />
      {type === 'PROD' && allowsUnsignedSessions && (
        <Checkbox
          label={environmentLabels.confirmUnsignedSessions}
          {...form.getInputProps('confirmUnsignedSessions', { type: 'checkbox' })}
        />
      )}
    </>
  )
}
