// The button that cancels the runs of an event for the recipients that match the filters.
import { Button } from '@mantine/core'
import { IconPlayerStop } from '@tabler/icons-react'
import { useBulkAct } from '../../parts/bulk/ask.ts'
import { runCancellation } from './run-cancellation.ts'

/** @param filter selects runs of one event. */
export function CancelRecipients({ filter }: { readonly filter: { readonly transactionId: string } }) {
  const [counting, ask] = useBulkAct()
  return (
    <Button
      variant="default"
      leftSection={<IconPlayerStop size={16} aria-hidden />}
      loading={counting}
      onClick={() => void ask(runCancellation, () => ({ filter, after: null }))}
    >
      Cancel all that match
    </Button>
  )
}
