// One run of an event: what happened for one recipient, step by step.
import { Anchor, Button, Group, Paper, Stack, Text, Timeline, Title } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { Link } from 'react-router'
import { useAct } from '../../graph/act.ts'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { showDone, showProblems } from '../../parts/messages.ts'
import { Moment } from '../../parts/moment.tsx'
import { paths } from '../../parts/paths.ts'
import { pauseInWords } from '../../parts/paused.tsx'
import { colorOf, StatusBadge } from '../../parts/status-badge.tsx'
import { stepTypes } from '../../parts/step-types.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { stepFields, StepItem, titleOf } from './step-item.tsx'

export const runFields = graphql(
  `
    fragment RunFields on WorkflowRun @_unmask {
      id
      status
      outcome
      error
      subscriberId
      createdAt
      subscriber {
        id
      }
      pause {
        kind
        reason
      }
      steps {
        ...StepFields
      }
    }
  `,
  [stepFields],
)

type Run = ResultOf<typeof runFields>

const retryWorkflowRunMutation = graphql(`
  mutation RetryWorkflowRun($input: RetryWorkflowRunInput!) {
    retryWorkflowRun(input: $input) {
      workflowRun {
        id
        status
      }
      userErrors {
        message
        field
      }
    }
  }
`)

interface RunCardProps {
  readonly run: Run
  readonly workflowIdentifier: string
}

export function RunCard({ run, workflowIdentifier }: RunCardProps) {
  const canWrite = useCanWrite()
  const [retryWorkflowRun, retrying] = useAct(retryWorkflowRunMutation)
  const { id, status, outcome: result, error, subscriberId, subscriber, pause, steps, createdAt } = run
  const subject = { workflowIdentifier, subscriberId }

  const retry = async () => {
    const outcome = await retryWorkflowRun({ id })
    if (outcome.ok) showDone(`The run for ${subscriberId} continues.`)
    else showProblems(outcome.problems)
  }

  return (
    <Paper withBorder p="md" component="section" aria-label={`Run for ${subscriberId}`}>
      <Stack gap="md">
        <Group justify="space-between" gap="xs">
          <Title order={3} size="h5" className="wrap-anywhere">
            {subscriber === null ? (
              `${subscriberId} (deleted)`
            ) : (
              <Anchor inherit component={Link} to={paths.subscriber(subscriberId)}>
                {subscriberId}
              </Anchor>
            )}
          </Title>
          <Group gap="xs">
            <Text size="sm" c="dimmed">
              <Moment at={createdAt} />
            </Text>
            <StatusBadge status={result} />
            {canWrite && status === 'FAILED' && subscriber !== null && (
              <Button
                size="xs"
                variant="default"
                leftSection={<IconRefresh size={14} aria-hidden />}
                loading={retrying}
                onClick={() => void retry()}
              >
                Retry run
              </Button>
            )}
          </Group>
        </Group>
        {error !== null && <Text size="sm">{error}</Text>}
        {pause && <Text size="sm">{pauseInWords(pause)}</Text>}
        {steps.length === 0 ? (
          <Text size="sm" c="dimmed">
            {status === 'RUNNING' && pause === null
              ? 'The first step is about to be executed.'
              : 'No step was executed.'}
          </Text>
        ) : (
          <Timeline active={steps.length} bulletSize={28} lineWidth={2}>
            {steps.map((step) => {
              const { icon: Icon } = stepTypes[step.type]
              return (
                <Timeline.Item
                  key={step.stepId}
                  color={colorOf(step.status)}
                  bullet={<Icon size={16} aria-hidden />}
                  title={titleOf(step)}
                >
                  <StepItem step={step} subject={subject} />
                </Timeline.Item>
              )
            })}
          </Timeline>
        )}
      </Stack>
    </Paper>
  )
}
