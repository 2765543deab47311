// The steps of a run: the outcome of each, and the reason.
import { Stack, Text } from '@mantine/core'
import { StatusBadge, type StepStatus } from '../../parts/badge/status-badge.tsx'

interface Step {
  readonly stepId: string
  readonly status: StepStatus
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
          <StatusBadge status={status} />
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
