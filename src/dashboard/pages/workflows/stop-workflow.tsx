// The button that stops a workflow: one mutation deactivates it and cancels its events that are not over.
import { Button, Text } from '@mantine/core'
import { IconPlayerStop } from '@tabler/icons-react'
import { useState } from 'react'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import type { Problem } from '../../graph/problem.ts'
import { confirmAct } from '../../parts/action/confirm-act.tsx'
import { usePending } from '../../parts/pending.ts'
import { showDone, showProblems } from '../../parts/messages.ts'
import { type Workflow, workflowFields } from './draft/workflow-values.ts'

const stopWorkflowMutation = graphql(
  `
    mutation StopWorkflow($input: UpdateWorkflowInput!) {
      updateWorkflow(input: $input) {
        workflow {
          ...WorkflowFields
        }
        cancellation {
          runCount
          remainingRunCount
          hasMore
        }
        userErrors {
          message
          field
        }
      }
    }
  `,
  [workflowFields],
)

const countOpenMutation = graphql(`
  mutation CountOpenRuns($input: CancelEventsInput!) {
    cancelEvents(input: $input) {
      runCount
      userErrors {
        message
        field
      }
    }
  }
`)

const counted = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'run' : 'runs'}`
const unfinished = (count: number) => `${counted(count)} that ${count === 1 ? 'is' : 'are'} not over`

interface StopWorkflowProps {
  readonly workflow: Workflow
  /** Called with the workflow once it is inactive. */
  readonly onInactive: (saved: Workflow) => void
}

/** Counts the runs, asks for confirmation, and cancels them. Repeats the mutation while more runs remain. */
export function StopWorkflow({ workflow: { identifier }, onInactive }: StopWorkflowProps) {
  const [stopWorkflow] = useAct(stopWorkflowMutation)
  const [countOpen] = useAct(countOpenMutation)
  const [pending, during] = usePending()
  const [remaining, setRemaining] = useState(0)

  /** Returns the problem that prevented it. */
  async function stop(): Promise<readonly Problem[]> {
    let runs = 0
    for (let hasMore = true; hasMore;) {
      const stopped = await stopWorkflow({ identifier, active: false, cancelPending: true })
      if (!stopped.ok) return stopped.problems
      const { workflow, cancellation } = stopped.payload
      if (workflow) onInactive(workflow)
      runs += cancellation?.runCount ?? 0
      hasMore = cancellation?.hasMore === true
      setRemaining(cancellation?.remainingRunCount ?? 0)
    }
    showDone(`Workflow stopped. ${counted(runs)} cancelled.`)
    return []
  }

  async function ask(): Promise<void> {
    const waiting = await countOpen({ filter: { workflowIdentifier: identifier }, dryRun: true })
    if (!waiting.ok) {
      showProblems(waiting.problems)
      return
    }
    confirmAct({
      title: `Stop workflow ${identifier}?`,
      consequence: `The workflow is deactivated: triggers have no effect any more. The stop cancels ${unfinished(waiting.payload.runCount ?? 0)}, with messages that are not sent yet. This cannot be undone. Use Pause to let them wait instead.`,
      confirm: 'Stop',
      dismiss: 'Cancel',
      onConfirm: () =>
        during(async () => {
          const problems = await stop()
          if (problems.length > 0) showProblems(problems)
        }),
    })
  }

  return (
    <>
      {pending && remaining > 0 && (
        <Text role="status" size="sm">
          {counted(remaining)} left
        </Text>
      )}
      <Button
        variant="default"
        leftSection={<IconPlayerStop size={16} aria-hidden />}
        loading={pending}
        onClick={() => void during(ask)}
      >
        Stop
      </Button>
    </>
  )
}
