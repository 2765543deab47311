// The dialog that sends the webhook messages of a period again.
import { SimpleGrid, Text, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import type { Problem } from '../../graph/problem.ts'
import { DialogForm } from '../../parts/form/dialog-form.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { FormEnd } from '../../parts/form/form-end.tsx'
import { useFormProblems } from '../../parts/form/form-problem-state.ts'
import { localText, utcText } from '../../parts/form/local-time.ts'
import { showDone } from '../../parts/messages.ts'
import { usePending } from '../../parts/pending.ts'
import { EventTypesInput } from './event-types-input.tsx'
import type { WebhookEventType } from './event-types.ts'

const replayMutation = graphql(`
  mutation ReplayWebhooks($input: ReplayWebhooksInput!) {
    replayWebhooks(input: $input) {
      queuedCount
      continueFrom
      userErrors {
        message
        field
      }
    }
  }
`)

interface ReplayValues {
  /** Times as `datetime-local` fields have them. */
  readonly from: string
  readonly to: string
  readonly eventTypes: WebhookEventType[]
}

const HOUR = 3_600_000
const number = new Intl.NumberFormat()
const anHourAgo = () => localText(new Date(Date.now() - HOUR).toISOString())

interface ReplayProps {
  readonly id: string
  readonly onClose: () => void
}

export function Replay({ id, onClose }: ReplayProps) {
  const [replay] = useAct(replayMutation)
  const [pending, during] = usePending()
  const form = useForm<ReplayValues>({
    initialValues: { from: anHourAgo(), to: '', eventTypes: [] },
    validate: { from: isNotEmpty('Enter a time.') },
  })
  const [problems, report] = useFormProblems(form)

  /** One call queues at most 5,000 messages, and says where the next one continues. */
  const replayAll = async ({ from, to, eventTypes }: ReplayValues): Promise<readonly Problem[]> => {
    let next: string | null = utcText(from)
    let count = 0
    while (next !== null) {
      const outcome = await replay({
        ...{ id, from: next, to: utcText(to) },
        eventTypes: eventTypes.length === 0 ? null : eventTypes,
      })
      if (!outcome.ok) return outcome.problems
      count += outcome.payload.queuedCount ?? 0
      next = outcome.payload.continueFrom
    }
    showDone(count === 0 ? 'No message is in this period.' : `Messages sent again: ${number.format(count)}.`)
    return []
  }
  const submit = (values: ReplayValues) =>
    during(async () => {
      const found = await replayAll(values)
      report(found)
      if (found.length === 0) onClose()
    })
  return (
    <FormDialog onClose={onClose} title="Replay messages">
      <DialogForm form={form} onSubmit={submit}>
        <Text size="sm">
          Messages of the period are sent again, oldest first, also those that the receiver has accepted. They keep
          their <code>webhook-id</code>. Messages are kept for 7 days.
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <TextInput type="datetime-local" label="From" required {...form.getInputProps('from')} />
          <TextInput type="datetime-local" label="Until" description="Empty: now" {...form.getInputProps('to')} />
        </SimpleGrid>
        <EventTypesInput
          label="Event types"
          placeholder={form.values.eventTypes.length === 0 ? 'All that the subscription has' : ''}
          {...form.getInputProps('eventTypes')}
        />
        <FormEnd problems={problems} submitLabel="Replay" pending={pending} />
      </DialogForm>
    </FormDialog>
  )
}
