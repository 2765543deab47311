// The button that retries one run.
import { useAct } from '../../graph/act.ts'
import { graphql } from '../../graph/graphql.ts'
import { showDone, showProblems } from '../../parts/messages.ts'
import { RetryMenu, type Version } from './retry-menu.tsx'

const retryWorkflowRunMutation = graphql(`
  mutation RetryWorkflowRun($input: RetryWorkflowRunInput!) {
    retryWorkflowRun(input: $input) {
      workflowRun {
        id
        status
        retriable
        retriableWithCurrent: retriable(workflowVersion: CURRENT)
      }
      userErrors {
        message
        field
      }
    }
  }
`)

interface RetryRunProps {
  readonly run: {
    readonly id: string
    readonly subscriberId: string
    readonly retriable: boolean
    readonly retriableWithCurrent: boolean
  }
}

export function RetryRun({ run: { id, subscriberId, ...run } }: RetryRunProps) {
  const [retryWorkflowRun, retrying] = useAct(retryWorkflowRunMutation)
  const retry = async (workflowVersion: Version) => {
    const outcome = await retryWorkflowRun({ id, workflowVersion })
    if (outcome.ok) showDone(`The run for ${subscriberId} continues.`)
    else showProblems(outcome.problems)
  }
  const possible = { CURRENT: run.retriableWithCurrent, TRIGGERED: run.retriable }
  return <RetryMenu label="Retry run" size="xs" pending={retrying} possible={possible} onRetry={retry} />
}
