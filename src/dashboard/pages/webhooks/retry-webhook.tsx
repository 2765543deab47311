// The button that sends a webhook message again.
import { Button, type ButtonProps } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { showDone, showProblems } from '../../parts/messages.ts'

const retryMutation = graphql(`
  mutation RetryWebhookDelivery($input: RetryWebhookDeliveryInput!) {
    retryWebhookDelivery(input: $input) {
      webhookDelivery {
        id
        status
      }
      userErrors {
        message
        field
      }
    }
  }
`)

interface RetryProps extends Pick<ButtonProps, 'size'> {
  readonly id: string
  /** The accessible name, if several buttons are on the page. */
  readonly label?: string
}

export function RetryWebhook({ id, label, size }: RetryProps) {
  const [retry, pending] = useAct(retryMutation)
  const send = async () => {
    const outcome = await retry({ id })
    if (outcome.ok) showDone('The message is sent again.')
    else showProblems(outcome.problems)
  }
  return (
    <Button
      variant="default"
      leftSection={<IconRefresh size={14} aria-hidden />}
      loading={pending}
      onClick={() => void send()}
      {...(size !== undefined && { size })}
      {...(label !== undefined && { 'aria-label': label })}
    >
      Retry
    </Button>
  )
}
