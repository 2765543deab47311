// The steps of a run: what became of each, and why.
import { Stack, Text } from '@mantine/core'

const words = {
  CANCELLED: 'cancelled',
  COMPLETED: 'done',
  FAILED: 'failed',
  MERGED: 'merged into an earlier digest',
  SENDING: 'in delivery',
  SENT: 'sent',
  SKIPPED: 'skipped',
  WAITING: 'waiting',
} as const

interface Step {
  readonly stepId: string
  readonly status: keyof typeof words
  /** The reason in a sentence. */
  readonly detail: string | null
}

export function StepOutcomes({ steps }: { readonly steps: readonly Step[] }) {
  if (steps.length === 0) return <Text c="dimmed">none yet</Text>
  return (
    <Stack gap={2}>
      {steps.map(({ stepId, status, detail }) => (
        <div key={stepId}>
          <Text inherit span fw={500}>
            {stepId}
          </Text>{' '}
          <Text inherit span c={status === 'FAILED' ? 'red' : undefined}>
            {words[status]}
          </Text>
          {detail !== null && (
            <Text size="sm" c="dimmed">
              {detail}
            </Text>
          )}
        </div>
      ))}
    </Stack>
  )
}
