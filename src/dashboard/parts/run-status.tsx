// The status of a run in words.
import { Badge } from '@mantine/core'

const words = {
  RUNNING: { label: 'Running', color: 'blue' },
  WAITING: { label: 'Waiting', color: 'blue' },
  COMPLETED: { label: 'Completed', color: 'green' },
  FAILED: { label: 'Failed', color: 'red' },
  CANCELLED: { label: 'Cancelled', color: 'gray' },
} as const

type RunStatus = keyof typeof words

export const isRunStatus = (text: string): text is RunStatus => Object.hasOwn(words, text)

/** The choices of a filter. */
export const runStatuses: { value: string; label: string }[] = Object.entries(words).map(([value, { label }]) => ({
  value,
  label,
}))

export function RunStatusBadge({ status }: { readonly status: RunStatus }) {
  const { label, color } = words[status]
  return (
    <Badge variant="dot" color={color}>
      {label}
    </Badge>
  )
}
