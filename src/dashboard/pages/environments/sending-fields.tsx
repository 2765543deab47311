// The fields of an environment that say what happens to its messages.
import { Select, TagsInput, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type EnvironmentValues, sendingModes } from './environment-values.ts'

export function SendingFields({ form }: { readonly form: UseFormReturnType<EnvironmentValues> }) {
  return (
    <>
      <Select
        label="Messages are"
        description="In production, only an ADMIN key can change this."
        data={Object.entries(sendingModes).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        {...form.getInputProps('sending')}
      />
      {form.values.sending === 'REDIRECT' && (
        <>
          <TextInput
            label="Redirect to"
            description="An email address or a phone number, such as +4915123456789. Messages of other channels are captured."
            {...form.getInputProps('redirectTo')}
          />
          <TagsInput
            label="Allowed destinations"
            description="Sent as usual: addresses, domains such as *@example.com, and phone numbers or prefixes."
            {...form.getInputProps('allowedDestinations')}
          />
        </>
      )}
    </>
  )
}
