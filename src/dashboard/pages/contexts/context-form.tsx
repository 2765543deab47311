// The form of a context, to create or edit one.
import { TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import type { Problem } from '../../graph/problem.ts'
import { FormEnd } from '../../parts/form/form-end.tsx'
import { useFormProblems } from '../../parts/form/form-problem-state.ts'
import { JsonObjectInput } from '../../parts/form/json-object-input.tsx'
import { jsonObjectError } from '../../parts/form/json-object.ts'
import { DialogForm } from '../../parts/form/dialog-form.tsx'

export interface ContextValues {
  readonly type: string
  readonly identifier: string
  /** A JSON object as text. */
  readonly data: string
}

interface ContextFormProps {
  readonly initial: ContextValues
  /** The key of an existing context cannot be changed. */
  readonly keyIsFixed?: boolean
  readonly submitLabel: string
  readonly pending: boolean
  /** Returns the errors. */
  readonly onSubmit: (values: ContextValues) => Promise<readonly Problem[]>
}

export function ContextForm({ initial, keyIsFixed = false, submitLabel, pending, onSubmit }: ContextFormProps) {
  const form = useForm<ContextValues>({
    initialValues: initial,
    validate: {
      type: isNotEmpty('Enter a type.'),
      identifier: isNotEmpty('Enter an identifier.'),
      data: jsonObjectError,
    },
  })
  const [problems, report] = useFormProblems(form)
  return (
    <DialogForm form={form} onSubmit={async (values) => report(await onSubmit(values))}>
      {!keyIsFixed && (
        <>
          <TextInput
            label="Type"
            description="The type of scope, such as tenant. It cannot be changed."
            required
            data-autofocus
            {...form.getInputProps('type')}
          />
          <TextInput
            label="Identifier"
            description="Unique within the type, such as acme. It cannot be changed."
            required
            {...form.getInputProps('identifier')}
          />
        </>
      )}
      <JsonObjectInput
        label="Data"
        description="Your own data for templates and conditions, as a JSON object."
        {...form.getInputProps('data')}
      />
      <FormEnd problems={problems} submitLabel={submitLabel} pending={pending} />
    </DialogForm>
  )
}
