// What someone can do with an event: create its missing runs, retry its recipients, and cancel it.
import { Button } from '@mantine/core'
import { IconPlayerStop, IconRefresh } from '@tabler/icons-react'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { confirmAct } from '../../parts/action/confirm-act.tsx'
import { showDone, showProblems } from '../../parts/messages.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { RetryRecipients } from './retry-recipients.tsx'

const retryEventMutation = graphql(`
  mutation RetryEvent($input: RetryEventInput!) {
    retryEvent(input: $input) {
      event {
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

const cancelEventMutation = graphql(`
  mutation CancelEvent($input: CancelEventInput!) {
    cancelEvent(input: $input) {
      cancelled
      userErrors {
        message
        field
      }
    }
  }
`)

/** What the actions read of an event. */
interface Event {
  readonly id: string
  readonly transactionId: string
  readonly status: string
  readonly cancelledAt: string | null
  readonly messageCounts: { readonly pending: number }
  readonly recipientCounts: { readonly total: number }
}

/** True while runs or messages of the event may still change without the user. */
export const isUnderWay = ({ status, messageCounts }: Pick<Event, 'status' | 'messageCounts'>): boolean =>
  status === 'ACCEPTED' || status === 'RUNNING' || messageCounts.pending > 0

export function EventActions({ event }: { readonly event: Event }) {
  const canWrite = useCanWrite()
  const [retryEvent, retrying] = useAct(retryEventMutation)
  const [cancelEvent] = useAct(cancelEventMutation)
  const { id, transactionId } = event
  if (!canWrite) return null

  const retry = async () => {
    const outcome = await retryEvent({ id })
    if (outcome.ok) showDone('The missing runs are created.')
    else showProblems(outcome.problems)
  }
  const askToCancel = () =>
    confirmAct({
      title: `Cancel event ${transactionId}?`,
      consequence:
        'Steps and messages that are waiting are cancelled. Messages that were sent stay. This cannot be undone.',
      confirm: 'Cancel the event',
      dismiss: 'Keep it',
      onConfirm: async () => {
        const outcome = await cancelEvent({ transactionId })
        if (outcome.ok) showDone('The event is cancelled.')
        else showProblems(outcome.problems)
      },
    })
  return (
    <>
      {event.status === 'FAILED' && (
        <Button leftSection={<IconRefresh size={16} aria-hidden />} loading={retrying} onClick={() => void retry()}>
          Retry event
        </Button>
      )}
      {event.recipientCounts.total > 0 && event.cancelledAt === null && (
        <RetryRecipients transactionId={transactionId} />
      )}
      {isUnderWay(event) && event.cancelledAt === null && (
        <Button variant="default" leftSection={<IconPlayerStop size={16} aria-hidden />} onClick={askToCancel}>
          Cancel event
        </Button>
      )}
    </>
  )
}
