// A failed request: what happened, what to do, and a button to try again.
import { Alert, Button, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { Problem } from '../graph/problem.ts'

interface ProblemAlertProps {
  readonly problem: Problem
  readonly onRetry?: () => void
}

export function ProblemAlert({ problem, onRetry }: ProblemAlertProps) {
  return (
    <Alert color="red" role="alert" icon={<IconAlertTriangle aria-hidden />}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{problem.message}</Text>
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  )
}
