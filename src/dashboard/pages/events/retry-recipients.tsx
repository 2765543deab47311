// The button that retries the runs of an event for all recipients who missed a message.
import { useBulkAct } from '../../parts/bulk/ask.ts'
import { RetryMenu, type Version } from './retry-menu.tsx'

const acts = {
  CURRENT: {
    act: 'retryRunsWithCurrentWorkflow',
    consequence:
      'The steps that failed are executed with the current workflow. Messages that were rejected are replaced by new ones.',
  },
  TRIGGERED: {
    act: 'retryRuns',
    consequence:
      'The steps that failed are executed with the workflow of the trigger. Messages that were rejected are sent again as they are.',
  },
} as const satisfies Record<Version, object>

export function RetryRecipients({ transactionId }: { readonly transactionId: string }) {
  const [counting, ask] = useBulkAct()
  const retry = (version: Version) => {
    const { act, consequence } = acts[version]
    const bulk = {
      act,
      label: 'Retry',
      consequence: `${consequence} What was sent is not sent again.`,
      nothing: 'No recipient missed a message for a reason that a retry can change.',
    }
    return ask(bulk, () => ({ filter: { transactionId }, after: null }))
  }
  return <RetryMenu label="Retry recipients" pending={counting} onRetry={retry} />
}
