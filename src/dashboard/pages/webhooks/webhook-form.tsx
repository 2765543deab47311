// The form of a webhook subscription, to create or edit one.
import { Select, Switch, Textarea, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { ContextKeysInput, contextKeysError } from '../../parts/form/context-keys-input.tsx'
import { DialogForm } from '../../parts/form/dialog-form.tsx'
import type { EditedForm } from '../../parts/form/edit-dialog.tsx'
import { FormEnd } from '../../parts/form/form-end.tsx'
import { useFormProblems } from '../../parts/form/form-problem-state.ts'
import { optionsOf } from '../../parts/options.ts'
import { EventTypesInput } from './event-types-input.tsx'
import { contextChoices, type WebhookValues } from './webhook-values.ts'

interface WebhookFormProps extends EditedForm<WebhookValues> {
  /** The identifier of an existing subscription cannot be changed, and its secret is rotated elsewhere. */
  readonly identifierIsFixed?: boolean
}

export function WebhookForm(props: WebhookFormProps) {
  const { initial, identifierIsFixed = false, submitLabel, pending, onSubmit } = props
  const form = useForm<WebhookValues>({
    initialValues: initial,
    validate: {
      identifier: isNotEmpty('Enter an identifier.'),
      url: isNotEmpty('Enter a URL.'),
      eventTypes: isNotEmpty('Choose at least one type.'),
      contextKeys: (keys, { contexts }) => {
        if (contexts !== 'EXACT') return null
        return keys.length === 0 ? 'Enter at least one context.' : contextKeysError(keys)
      },
    },
  })
  const [problems, report] = useFormProblems(form)
  return (
    <DialogForm form={form} onSubmit={async (values) => report(await onSubmit(values))}>
      {!identifierIsFixed && (
        <TextInput
          label="Identifier"
          description="A name for the API and the log. It cannot be changed."
          required
          data-autofocus
          {...form.getInputProps('identifier')}
        />
      )}
      <TextInput
        label="URL"
        description="The address that messages are sent to. It must accept POST requests."
        placeholder="https://example.com/webhooks"
        required
        {...form.getInputProps('url')}
      />
      <EventTypesInput
        label="Event types"
        description="The types of messages to send."
        withAsterisk
        {...form.getInputProps('eventTypes')}
      />
      <Textarea label="Description" autosize minRows={2} maxLength={500} {...form.getInputProps('description')} />
      {!identifierIsFixed && (
        <TextInput
          label="Own signing secret"
          description="whsec_ and the base64 of 24 to 64 bytes. Empty for a new secret."
          placeholder="whsec_…"
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('secret')}
        />
      )}
      <Switch
        label="Include content"
        description="Adds the rendered subject and body of messages, and received texts, up to 20 KB in a request."
        {...form.getInputProps('includeContent', { type: 'checkbox' })}
      />
      <Select
        label="Filter by contexts"
        allowDeselect={false}
        data={[...optionsOf(contextChoices)]}
        {...form.getInputProps('contexts')}
      />
      {form.values.contexts === 'EXACT' && (
        <ContextKeysInput
          description="At most 5, each as type:identifier, such as tenant:acme."
          {...form.getInputProps('contextKeys')}
        />
      )}
      <FormEnd problems={problems} submitLabel={submitLabel} pending={pending} />
    </DialogForm>
  )
}
