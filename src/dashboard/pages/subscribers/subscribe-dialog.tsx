// The dialog that subscribes a subscriber to a topic.
import { Autocomplete, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { contextInputs, ContextKeysInput, contextKeysError } from '../../parts/form/context-keys-input.tsx'
import { FormEnd } from '../../parts/form/form-end.tsx'
import { useFormProblems } from '../../parts/form/form-problem-state.ts'
import { showDone } from '../../parts/messages.ts'
import { useTopicSuggestions } from '../../parts/suggestion/topic-suggestions.ts'
import { DialogForm } from '../../parts/form/dialog-form.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'

const subscribeMutation = graphql(`
  mutation SubscribeToTopic($input: CreateTopicSubscriptionsInput!) {
    createTopicSubscriptions(input: $input) {
      failed {
        message
      }
      userErrors {
        message
        field
      }
    }
  }
`)

interface SubscribeDialogProps {
  readonly subscriberId: string
  readonly onClose: () => void
}

export function SubscribeDialog({ subscriberId, onClose }: SubscribeDialogProps) {
  const [subscribe, pending] = useAct(subscribeMutation)
  const form = useForm({
    initialValues: { topicKey: '', name: '', contexts: [] as string[] },
    validate: { topicKey: isNotEmpty('Enter the key of a topic.'), contexts: contextKeysError },
  })
  const [problems, report] = useFormProblems(form)
  const topics = useTopicSuggestions(form.values.topicKey)

  const submit = async ({ topicKey, name, contexts }: typeof form.values) => {
    const outcome = await subscribe({
      topicKey,
      subscriptions: [{ subscriberId, name: name === '' ? null : name }],
      contexts: contextInputs(contexts),
    })
    const found = outcome.ok ? (outcome.payload.failed ?? []) : outcome.problems
    report(found)
    if (found.length > 0) return
    showDone(`Subscribed to ${topicKey}.`)
    onClose()
  }
  return (
    <FormDialog onClose={onClose} title="Subscribe to a topic">
      <DialogForm form={form} onSubmit={submit}>
        <Autocomplete
          label="Topic"
          description="The key of a topic. A topic that does not exist is created."
          required
          data-autofocus
          data={[...topics]}
          // The gateway has already filtered the options.
          filter={({ options }) => options}
          {...form.getInputProps('topicKey')}
        />
        <TextInput label="Name" description="A display name of the subscription." {...form.getInputProps('name')} />
        <ContextKeysInput {...form.getInputProps('contexts')} />
        <FormEnd problems={problems} submitLabel="Subscribe" pending={pending} />
      </DialogForm>
    </FormDialog>
  )
}
