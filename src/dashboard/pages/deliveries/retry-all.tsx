// The button that retries all failed messages that match the filters of the list.
import { Button } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { type BulkAct, useBulkAct } from '../../parts/bulk/ask.ts'

export const retryMessagesAct: BulkAct = {
  act: 'retryMessages',
  label: 'Retry',
  consequence: 'Failed messages are sent again, each with a full set of attempts.',
  nothing: 'No message can be sent again: none has failed, the subscribers were deleted, or the events were cancelled.',
}

export function RetryAll({ filter }: { readonly filter: object }) {
  const [counting, ask] = useBulkAct()
  return (
    <Button
      variant="default"
      leftSection={<IconRefresh size={16} aria-hidden />}
      loading={counting}
      onClick={() => void ask(retryMessagesAct, () => ({ filter, after: null }))}
    >
      Retry all that match
    </Button>
  )
}
