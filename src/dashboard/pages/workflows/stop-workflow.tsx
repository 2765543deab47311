// The button that stops a workflow: deactivates it, and cancels its events that are not over.
import { Button } from '@mantine/core'
import { IconPlayerStop } from '@tabler/icons-react'
import { useState } from 'react'
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import type { Problem } from '../../graph/problem.ts'
import { confirmAct } from '../../parts/action/confirm-act.tsx'
import { showDone, showProblems } from '../../parts/messages.ts'
import { updateWorkflowMutation, type Workflow } from './draft/workflow-values.ts'

const cancelEventsMutation = graphql(`
  mutation CancelEvents($input: CancelEventsInput!) {
    cancelEvents(input: $input) {
      runCount
      hasMore
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

/** Counts the runs, asks for confirmation, and cancels them in several calls. */
export function StopWorkflow({ workflow: { identifier }, onInactive }: StopWorkflowProps) {
  const [updateWorkflow] = useAct(updateWorkflowMutation)
  const [cancelEvents] = useAct(cancelEventsMutation)
  const [pending, setPending] = useState(false)
  const filter = { workflowIdentifier: identifier }

  /** Returns the problem that prevented it. */
  async function stop(): Promise<readonly Problem[]> {
    const inactive = await updateWorkflow({ identifier, active: false })
    if (!inactive.ok) return inactive.problems
    if (inactive.payload.workflow) onInactive(inactive.payload.workflow)
    let runs = 0
    for (let hasMore = true; hasMore;) {
      const cancelled = await cancelEvents({ filter })
      if (!cancelled.ok) return cancelled.problems
      runs += cancelled.payload.runCount ?? 0
      hasMore = cancelled.payload.hasMore === true
    }
    showDone(`Workflow stopped. ${counted(runs)} cancelled.`)
    return []
  }

  async function ask(): Promise<void> {
    const waiting = await cancelEvents({ filter, dryRun: true })
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
      leftSection={<IconPlayerStop size={16} aria-hidden />}
      loading={pending}
      onClick={() => void during(ask)}
    >
      Stop
    </Button>
  )
}
