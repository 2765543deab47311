// The button that retries all failed messages that match the filters of the list.
import { Button } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import { useAct } from '../../graph/act.ts'
import { graphql, type VariablesOf } from '../../graph/graphql.ts'
import { confirmAct } from '../../parts/action/confirm-act.tsx'
import { showDone, showProblems } from '../../parts/messages.ts'

const retryDeliveriesMutation = graphql(`
  mutation RetryDeliveries($input: RetryDeliveriesInput!) {
    retryDeliveries(input: $input) {
      retriedCount
      next
      userErrors {
        message
        field
      }
    }
  }
`)

export type FailedFilter = VariablesOf<typeof retryDeliveriesMutation>['input']['filter']

const counted = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'message' : 'messages'}`

/** Counts the messages, asks for confirmation, and sends them again in several calls. */
export function RetryAll({ filter }: { readonly filter: FailedFilter }) {
  const [retryDeliveries] = useAct(retryDeliveriesMutation)
  const [pending, setPending] = useState(false)

  async function retryEach(): Promise<void> {
    let done = 0
    let after: string | null = null
    do {
      const outcome = await retryDeliveries({ filter, after })
      if (!outcome.ok) {
        showProblems(outcome.problems)
        break
      }
      done += outcome.payload.retriedCount ?? 0
      after = outcome.payload.next
    } while (after !== null)
    showDone(`Sending ${counted(done)} again.`)
  }

  async function ask(): Promise<void> {
    const outcome = await retryDeliveries({ filter, dryRun: true })
    if (!outcome.ok) {
      showProblems(outcome.problems)
      return
    }
    const count = outcome.payload.retriedCount ?? 0
    if (count === 0) {
      showDone('No message can be sent again: the subscribers were deleted, or the events were cancelled.')
      return
    }
    confirmAct({
      title: `Send ${counted(count)} again?`,
      consequence: 'All failed messages that match the filters are sent again, each with a full set of attempts.',
      confirm: 'Send again',
      dismiss: 'Cancel',
      onConfirm: () => during(retryEach),
    })
  }

  async function during(work: () => Promise<void>): Promise<void> {
    setPending(true)
    try {
      await work()
    } finally {
      setPending(false)
    }
  }

  return (
    <Button
      variant="default"
      leftSection={<IconRefresh size={16} aria-hidden />}
      loading={pending}
      onClick={() => void during(ask)}
    >
      Retry all that match
    </Button>
  )
}
