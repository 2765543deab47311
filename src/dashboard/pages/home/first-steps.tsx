// The first steps in an environment in which nothing was triggered yet.
import { Anchor, List, Paper, Stack, ThemeIcon, Title } from '@mantine/core'
import { IconCheck, IconCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { paths } from '../../parts/paths.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { ExampleData } from './example-data.tsx'

interface FirstStepsProps {
  readonly hasSubscribers: boolean
  readonly hasWorkflows: boolean
}

export function FirstSteps({ hasSubscribers, hasWorkflows }: FirstStepsProps) {
  const canWrite = useCanWrite()
  return (
    <Paper withBorder p="xl">
      <Stack>
        <Title order={2} size="h4">
          Send your first notification
        </Title>
        <List spacing="sm" center>
          <Step done={hasSubscribers}>
            <Anchor component={Link} to={paths.subscribers} underline="always">
              Create a subscriber
            </Anchor>
            : a person who receives notifications.
          </Step>
          <Step done={hasWorkflows}>
            <Anchor component={Link} to={paths.workflows} underline="always">
              Create a workflow
            </Anchor>
            : the steps of a notification, such as an email.
          </Step>
          <Step done={false}>Trigger the workflow for the subscriber. The event then appears here.</Step>
        </List>
        {canWrite && !hasSubscribers && !hasWorkflows && <ExampleData />}
      </Stack>
    </Paper>
  )
}

function Step({ done, children }: { readonly done: boolean; readonly children: ReactNode }) {
  const Icon = done ? IconCheck : IconCircle
  return (
    <List.Item
      icon={
        <ThemeIcon variant="transparent" color={done ? 'green' : 'gray'} size={22}>
          <Icon size={18} role="img" aria-label={done ? 'Done' : 'To do'} />
        </ThemeIcon>
      }
    >
      {children}
    </List.Item>
  )
}
