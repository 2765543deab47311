// The form of a subscriber, to create or edit one.
import { Autocomplete, SimpleGrid, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import type { Problem } from '../../graph/problem.ts'
import { FormEnd } from '../../parts/form/form-end.tsx'
import { useFormProblems } from '../../parts/form/form-problem-state.ts'
import { JsonObjectInput } from '../../parts/form/json-object-input.tsx'
import { jsonObjectError } from '../../parts/form/json-object.ts'
import type { SubscriberValues } from './subscriber-values.ts'
import { DialogForm } from '../../parts/form/dialog-form.tsx'

const timezones = Intl.supportedValuesOf('timeZone')

interface SubscriberFormProps {
  readonly initial: SubscriberValues
  /** The id of an existing subscriber cannot be changed. */
  readonly idIsFixed?: boolean
  readonly submitLabel: string
  readonly pending: boolean
  /** Returns the errors. */
  readonly onSubmit: (values: SubscriberValues) => Promise<readonly Problem[]>
}

export function SubscriberForm({ initial, idIsFixed = false, submitLabel, pending, onSubmit }: SubscriberFormProps) {
  const form = useForm<SubscriberValues>({
    initialValues: initial,
    validate: { subscriberId: isNotEmpty('Enter an id.'), data: jsonObjectError },
  })
  const [problems, report] = useFormProblems(form)
  return (
    <DialogForm form={form} onSubmit={async (values) => report(await onSubmit(values))}>
      {!idIsFixed && (
        <TextInput
          label="Subscriber id"
          description="The id of the person in your application. It cannot be changed."
          required
          data-autofocus
          {...form.getInputProps('subscriberId')}
        />
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label="First name" {...form.getInputProps('firstName')} />
        <TextInput label="Last name" {...form.getInputProps('lastName')} />
        <TextInput label="Email" inputMode="email" {...form.getInputProps('email')} />
        <TextInput label="Phone" inputMode="tel" placeholder="+4915123456789" {...form.getInputProps('phone')} />
        <TextInput label="Locale" placeholder="en-US" {...form.getInputProps('locale')} />
        <Autocomplete
          label="Time zone"
          placeholder="Europe/Berlin"
          data={timezones}
          limit={20}
          {...form.getInputProps('timezone')}
        />
      </SimpleGrid>
      <TextInput label="Avatar" description="The URL of a picture." {...form.getInputProps('avatar')} />
      <JsonObjectInput
        label="Data"
        description="Your own data, as a JSON object. Templates and conditions can use it."
        {...form.getInputProps('data')}
      />
      <FormEnd problems={problems} submitLabel={submitLabel} pending={pending} />
    </DialogForm>
  )
}
