// The button that cancels one run.
import { Button } from '@mantine/core'
import { IconPlayerStop } from '@tabler/icons-react'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { confirmAct } from '../../parts/action/confirm-act.tsx'
import { showDone, showProblems } from '../../parts/messages.ts'
import { cancelledRun } from './run-cancellation.ts'

const cancelWorkflowRunMutation = graphql(`
  mutation CancelWorkflowRun($input: CancelWorkflowRunInput!) {
    cancelWorkflowRun(input: $input) {
      workflowRun {
        id
        status
        outcome
        error
        cancellable
      }
      userErrors {
        message
        field
      }
    }
  }
`)

interface CancelRunProps {
  readonly run: { readonly id: string; readonly subscriberId: string }
}

export function CancelRun({ run: { id, subscriberId } }: CancelRunProps) {
  const [cancelWorkflowRun] = useAct(cancelWorkflowRunMutation)
  const ask = () =>
    confirmAct({
      title: `Cancel the run for ${subscriberId}?`,
      consequence: cancelledRun,
      confirm: 'Cancel the run',
      dismiss: 'Keep it',
      onConfirm: async () => {
        const outcome = await cancelWorkflowRun({ id })
        if (outcome.ok) showDone(`The run for ${subscriberId} is cancelled.`)
        else showProblems(outcome.problems)
      },
    })
  return (
    <Button size="xs" variant="default" leftSection={<IconPlayerStop size={16} aria-hidden />} onClick={ask}>
      Cancel run
    </Button>
  )
}
