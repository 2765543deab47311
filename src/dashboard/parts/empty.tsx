// The content of an empty list: a message, and the next step.
import { Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface EmptyProps {
  readonly title: string
  readonly children: ReactNode
  /** The button or link of the next step. */
  readonly action?: ReactNode
}

export function Empty({ title, children, action }: EmptyProps) {
  return (
    <Paper withBorder p="xl">
      <Stack align="center" gap="xs">
        <Title order={2} size="h4">
          {title}
        </Title>
        <Text c="dimmed" ta="center" maw={480}>
          {children}
        </Text>
        {action}
      </Stack>
    </Paper>
  )
}
