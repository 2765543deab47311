// The form of a topic subscription, to create or edit one.
import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Problem } from '../../graph/problem.ts'
import { ContextKeysInput, contextKeysError } from '../../parts/form/context-keys-input.tsx'
import { FormEnd } from '../../parts/form/form-end.tsx'
import { useFormProblems } from '../../parts/form/form-problem-state.ts'
import { SubscriberPicker } from '../../parts/form/subscriber-picker.tsx'
import { conditionError } from './preference-entries.ts'
import { PreferenceFields } from './preference-fields.tsx'
import type { SubscriptionValues } from './subscription-values.ts'
import { DialogForm } from '../../parts/form/dialog-form.tsx'

interface SubscriptionFormProps {
  readonly initial: SubscriptionValues
  /** The subscriber, identifier and contexts of an existing subscription cannot be changed. */
  readonly exists?: boolean
  readonly submitLabel: string
  readonly pending: boolean
  /** Returns the errors. */
  readonly onSubmit: (values: SubscriptionValues) => Promise<readonly Problem[]>
}

export function SubscriptionForm({ initial, exists = false, submitLabel, pending, onSubmit }: SubscriptionFormProps) {
  const form = useForm<SubscriptionValues>({
    initialValues: initial,
    validate: {
      subscriberId: (value) => (value === null ? 'Choose a subscriber.' : null),
      contexts: contextKeysError,
      preferences: {
        condition: conditionError,
        workflows: (workflows, { preferences }, path) => {
          const entry = preferences[Number(path.split('.')[1])]
          return workflows.length + (entry?.tags.length ?? 0) === 0 ? 'Enter a workflow or a tag.' : null
        },
      },
    },
  })
  const [problems, report] = useFormProblems(form)
  return (
    <DialogForm form={form} onSubmit={async (values) => report(await onSubmit(values))}>
      {!exists && (
        <SubscriberPicker
          label="Subscriber"
          description="Type an id, a name, an email address or a phone number."
          required
          data-autofocus
          {...form.getInputProps('subscriberId')}
        />
      )}
      <TextInput label="Name" {...form.getInputProps('name')} />
      {!exists && (
        <>
          <TextInput
            label="Identifier"
            description="Unique in the topic. Generated if it is empty."
            {...form.getInputProps('identifier')}
          />
          <ContextKeysInput {...form.getInputProps('contexts')} />
        </>
      )}
      <PreferenceFields form={form} />
      <FormEnd problems={problems} submitLabel={submitLabel} pending={pending} />
    </DialogForm>
  )
}
