// The dialog that suppresses an address.
import { Select, Textarea, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { ContextKeysInput, contextInputs, contextKeysError } from '../../parts/form/context-keys-input.tsx'
import { DialogForm } from '../../parts/form/dialog-form.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { FormEnd } from '../../parts/form/form-end.tsx'
import { useFormProblems } from '../../parts/form/form-problem-state.ts'
import { IntegrationInput } from '../../parts/form/integration-input.tsx'
import { showDone } from '../../parts/messages.ts'
import { type AddressChannel, addressChannelOptions } from '../../parts/suppression-labels.ts'

/** Maximum characters of a note. */
const MAX_DETAIL = 500

const createSuppressionMutation = graphql(`
  mutation CreateSuppression($input: CreateSuppressionInput!) {
    createSuppression(input: $input) {
      suppression {
        id
        address
      }
      userErrors {
        message
        field
      }
    }
  }
`)

interface SuppressionValues {
  readonly channel: AddressChannel
  readonly address: string
  readonly detail: string
  readonly contexts: string[]
  readonly integrationIdentifier: string
  /** A local time, such as `2026-12-24T18:00`. Empty without an end. */
  readonly expiresAt: string
}

const newSuppression: SuppressionValues = {
  channel: 'EMAIL',
  address: '',
  detail: '',
  contexts: [],
  integrationIdentifier: '',
  expiresAt: '',
}

const orNull = (value: string) => (value.trim() === '' ? null : value.trim())

export function CreateSuppression({ onClose }: { readonly onClose: () => void }) {
  const [createSuppression, pending] = useAct(createSuppressionMutation)
  const form = useForm<SuppressionValues>({
    initialValues: newSuppression,
    validate: { address: isNotEmpty('Enter an address.'), contexts: contextKeysError },
  })
  const [problems, report] = useFormProblems(form)
  const isEmail = form.values.channel === 'EMAIL'

  const submit = async ({
    channel,
    address,
    detail,
    contexts,
    integrationIdentifier,
    expiresAt,
  }: SuppressionValues) => {
    const outcome = await createSuppression({
      channel,
      address: address.trim(),
      detail: orNull(detail),
      contexts: contextInputs(contexts),
      integrationIdentifier: orNull(integrationIdentifier),
      expiresAt: expiresAt === '' ? null : new Date(expiresAt).toISOString(),
    })
    if (!outcome.ok) {
      report(outcome.problems)
      return
    }
    showDone(`Nothing more is sent to ${outcome.payload.suppression?.address ?? address}.`)
    onClose()
  }
  return (
    <FormDialog onClose={onClose} title="Suppress an address">
      <DialogForm form={form} onSubmit={submit}>
        <Select
          label="Channel"
          required
          allowDeselect={false}
          data={[...addressChannelOptions]}
          {...form.getInputProps('channel')}
        />
        <TextInput
          label="Address"
          description={
            isEmail ? 'An email address.' : 'A phone number in international format, such as +4915112345678.'
          }
          required
          data-autofocus
          {...form.getInputProps('address')}
        />
        <Textarea
          label="Note"
          description="Why nothing is sent to it, for others."
          autosize
          maxLength={MAX_DETAIL}
          {...form.getInputProps('detail')}
        />
        <ContextKeysInput
          description="Only messages under these contexts are not sent, each as type:identifier. Empty: no message is sent."
          {...form.getInputProps('contexts')}
        />
        <IntegrationInput
          label="Integration"
          description="Only this sender does not write to the address. Empty: no sender does."
          {...form.getInputProps('integrationIdentifier')}
        />
        <TextInput
          type="datetime-local"
          label="Until"
          description="Empty: the suppression does not end."
          {...form.getInputProps('expiresAt')}
        />
        <FormEnd problems={problems} submitLabel="Suppress" pending={pending} />
      </DialogForm>
    </FormDialog>
  )
}
