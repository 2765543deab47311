// The dialog that sends a test message to the receiver of a webhook subscription.
import { Select, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { DialogForm } from '../../parts/form/dialog-form.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { FormEnd } from '../../parts/form/form-end.tsx'
import { useFormProblems } from '../../parts/form/form-problem-state.ts'
import { showDone } from '../../parts/messages.ts'
import { groupedEventTypes, type WebhookEventType } from './event-types.ts'
import type { WebhookSubscription } from './webhook-values.ts'

const sendTestMutation = graphql(`
  mutation SendTestWebhook($input: SendTestWebhookInput!) {
    sendTestWebhook(input: $input) {
      webhookDelivery {
        id
      }
      userErrors {
        message
        field
      }
    }
  }
`)

interface SendTestProps {
  readonly webhook: WebhookSubscription
  readonly onClose: () => void
}

export function SendTest({ webhook: { id, eventTypes }, onClose }: SendTestProps) {
  const [sendTest, pending] = useAct(sendTestMutation)
  const form = useForm<{ eventType: WebhookEventType | null }>({ initialValues: { eventType: eventTypes[0] ?? null } })
  const [problems, report] = useFormProblems(form)
  const submit = async ({ eventType }: typeof form.values) => {
    const outcome = await sendTest({ id, eventType })
    if (!outcome.ok) {
      report(outcome.problems)
      return
    }
    showDone('Test message sent. The log shows the response.')
    onClose()
  }
  return (
    <FormDialog onClose={onClose} title="Send a test message">
      <DialogForm form={form} onSubmit={submit}>
        <Text size="sm">
          An example message is signed, sent and logged like all others. Its body says that it is a test.
        </Text>
        <Select
          label="Event type"
          description="Also a type that the subscription does not have."
          searchable
          allowDeselect={false}
          nothingFoundMessage="No type matches"
          data={groupedEventTypes}
          {...form.getInputProps('eventType')}
        />
        <FormEnd problems={problems} submitLabel="Send" pending={pending} />
      </DialogForm>
    </FormDialog>
  )
}
