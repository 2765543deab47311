// The form of a channel endpoint, to create one or to change its destination.
import { Select, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Problem } from '../../graph/problem.ts'
import { ContextKeysInput } from '../../parts/form/context-keys-input.tsx'
import { FormEnd } from '../../parts/form/form-end.tsx'
import { useFormProblems } from '../../parts/form/form-problem-state.ts'
import { IntegrationInput } from '../../parts/form/integration-input.tsx'
import { SubscriberPicker } from '../../parts/form/subscriber-picker.tsx'
import { type ChannelEndpointValues, errorsOf } from './channel-endpoint-values.ts'
import { EndpointFields } from './endpoint-fields.tsx'
import { endpointTypes } from './endpoint-types.ts'
import { useTypeOptions } from './type-options.ts'
import { DialogForm } from '../../parts/form/dialog-form.tsx'

interface ChannelEndpointFormProps {
  readonly initial: ChannelEndpointValues
  /** Only the destination of an existing channel endpoint can be changed. */
  readonly exists?: boolean
  readonly submitLabel: string
  readonly pending: boolean
  /** Returns the errors. */
  readonly onSubmit: (values: ChannelEndpointValues) => Promise<readonly Problem[]>
}

export function ChannelEndpointForm(props: ChannelEndpointFormProps) {
  const { initial, exists = false, submitLabel, pending, onSubmit } = props
  const form = useForm<ChannelEndpointValues>({
    initialValues: initial,
    validate: (values) => (exists ? { ...errorsOf(values), integrationIdentifier: null } : errorsOf(values)),
  })
  const [problems, report] = useFormProblems(form)
  const { type, integrationIdentifier } = form.values
  const typeOptions = useTypeOptions(integrationIdentifier)
  return (
    <DialogForm form={form} onSubmit={async (values) => report(await onSubmit(values))}>
      {!exists && (
        <>
          <SubscriberPicker
            label="Subscriber"
            description="Type an id, a name, an email address or a phone number."
            required
            data-autofocus
            {...form.getInputProps('subscriberId')}
          />
          <IntegrationInput
            label="Integration"
            description="The integration that sends messages to this destination."
            required
            {...form.getInputProps('integrationIdentifier')}
          />
          <Select
            label="Type"
            description={type === null ? 'The kind of destination.' : endpointTypes[type].help}
            required
            searchable
            nothingFoundMessage="No type matches"
            data={typeOptions}
            {...form.getInputProps('type')}
          />
        </>
      )}
      {type !== null && <EndpointFields type={type} inputProps={form.getInputProps} />}
      {!exists && (
        <>
          <ContextKeysInput {...form.getInputProps('contexts')} />
          <TextInput
            label="Identifier"
            description="Unique in the environment. Generated if it is empty."
            {...form.getInputProps('identifier')}
          />
          <TextInput
            label="Connection identifier"
            description="Your identifier of a channel connection, if there is one."
            {...form.getInputProps('connectionIdentifier')}
          />
        </>
      )}
      <FormEnd problems={problems} submitLabel={submitLabel} pending={pending} />
    </DialogForm>
  )
}
