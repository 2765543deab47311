// The form of a topic, to create or edit one.
import { TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import type { Problem } from '../../graph/problem.ts'
import { FormEnd } from '../../parts/form/form-end.tsx'
import { useFormProblems } from '../../parts/form/form-problem-state.ts'
import { JsonObjectInput } from '../../parts/form/json-object-input.tsx'
import { jsonObjectError } from '../../parts/form/json-object.ts'
import { DialogForm } from '../../parts/form/dialog-form.tsx'

export interface TopicValues {
  readonly key: string
  readonly name: string
  /** A JSON object as text. */
  readonly data: string
}

interface TopicFormProps {
  readonly initial: TopicValues
  /** The key of an existing topic cannot be changed. */
  readonly keyIsFixed?: boolean
  readonly submitLabel: string
  readonly pending: boolean
  /** Returns the errors. */
  readonly onSubmit: (values: TopicValues) => Promise<readonly Problem[]>
}

export function TopicForm({ initial, keyIsFixed = false, submitLabel, pending, onSubmit }: TopicFormProps) {
  const form = useForm<TopicValues>({
    initialValues: initial,
    validate: { key: isNotEmpty('Enter a key.'), data: jsonObjectError },
  })
  const [problems, report] = useFormProblems(form)
  return (
    <DialogForm form={form} onSubmit={async (values) => report(await onSubmit(values))}>
      {!keyIsFixed && (
        <TextInput
          label="Key"
          description="The identifier that triggers use. It cannot be changed."
          required
          data-autofocus
          {...form.getInputProps('key')}
        />
      )}
      <TextInput label="Name" {...form.getInputProps('name')} />
      <JsonObjectInput label="Data" description="Your own data, as a JSON object." {...form.getInputProps('data')} />
      <FormEnd problems={problems} submitLabel={submitLabel} pending={pending} />
    </DialogForm>
  )
}
